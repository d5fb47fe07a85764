// Package clusters says which Kubernetes releases draconform supports and in which combinations it judges them; the
// packages below it get, change and remove clusters of those releases.
package clusters
