"""The pages that an expert sees: the first page, one question at a time, and the form that answers it."""
