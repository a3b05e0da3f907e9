#include "assay/array.hpp"

NB_MODULE(ASSAY_MODULE, m) { m.doc() = ""; }
