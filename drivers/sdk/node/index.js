// assay-driver: make a job queue known to Assay. index.d.ts says what each call must do.
export { Driver, Session } from "./lib/driver.js";
export { Refusal, refuse } from "./lib/refusal.js";
export { serve } from "./lib/serve.js";
