// Package kind creates, finds and removes kind clusters for Dynamic Resource
// Allocation: of a supported release, with a set of DRA feature gates, and with
// every container labelled by the run it belongs to.
package kind
