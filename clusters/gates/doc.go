// Package gates knows the feature gates of Dynamic Resource Allocation in every supported Kubernetes release and turns
// the name of a set of them into what a cluster is configured with.
package gates
