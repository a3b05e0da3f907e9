"""Which columns are chosen again and again over resamples, and against columns made of noise."""
