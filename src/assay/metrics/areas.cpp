// Areas under ROC curves, many at a time.
#include "assay/array.hpp"

NB_MODULE(ASSAY_MODULE, m) { m.doc() = "Areas under ROC curves."; }
