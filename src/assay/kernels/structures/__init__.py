"""Kernels of strings, documents, trees and graphs."""
