"""What an explanation is: the reasoning of a learner about one row, as text, as data, as HTML."""

from assay.core.explanation import Explanation, Section

__all__ = ["Explanation", "Section"]
