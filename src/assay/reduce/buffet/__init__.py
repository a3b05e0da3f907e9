"""Binary latent features: the Indian buffet process and models with its prior."""
