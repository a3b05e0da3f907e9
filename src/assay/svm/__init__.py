"""Support vector machines and other machines of kernels."""

from assay.svm.diagnostics import MachineFacts, MarginDiagnostics, margin_diagnostics
from assay.svm.kernel_fisher import KernelFisherDiscriminant
from assay.svm.kernel_logistic import KernelLogisticRegression
from assay.svm.kernel_ridge import KernelRidge
from assay.svm.landmarks.landmark_svc import LandmarkSVC
from assay.svm.landmarks.landmark_svr import LandmarkSVR
from assay.svm.linear.hard_margin_svc import HardMarginSVC
from assay.svm.linear.linear_svc import LinearSVC
from assay.svm.linear.linear_svr import LinearSVR
from assay.svm.linear.margin_report import MarginReport
from assay.svm.linear.projected_gradient_svc import ProjectedGradientSVC
from assay.svm.linear.subgradient_svc import SubgradientSVC
from assay.svm.multiclass.crammer_singer_svc import CrammerSingerSVC
from assay.svm.multiclass.weston_watkins_svc import WestonWatkinsSVC
from assay.svm.nu_svc import NuSVC
from assay.svm.nu_svr import NuSVR
from assay.svm.one_class_classifier import OneClassClassifier
from assay.svm.one_class_svm import OneClassSVM
from assay.svm.ranking.kernel_rank_svm import KernelRankSVM
from assay.svm.ranking.rank_svm import RankSVM
from assay.svm.several_kernels.localized_multiple_kernel_svc import LocalizedMultipleKernelSVC
from assay.svm.several_kernels.multiple_kernel_svc import MultipleKernelSVC
from assay.svm.several_kernels.multiple_kernel_svr import MultipleKernelSVR
from assay.svm.svc import SVC
from assay.svm.svc_cv import SVCCV
from assay.svm.svdd import SVDD
from assay.svm.svr import SVR

__all__ = [
    "SVC",
    "SVCCV",
    "SVDD",
    "SVR",
    "CrammerSingerSVC",
    "HardMarginSVC",
    "KernelFisherDiscriminant",
    "KernelLogisticRegression",
    "KernelRankSVM",
    "KernelRidge",
    "LandmarkSVC",
    "LandmarkSVR",
    "LinearSVC",
    "LinearSVR",
    "LocalizedMultipleKernelSVC",
    "MachineFacts",
    "MarginDiagnostics",
    "MarginReport",
    "MultipleKernelSVC",
    "MultipleKernelSVR",
    "NuSVC",
    "NuSVR",
    "OneClassClassifier",
    "OneClassSVM",
    "ProjectedGradientSVC",
    "RankSVM",
    "SubgradientSVC",
    "WestonWatkinsSVC",
    "margin_diagnostics",
]
