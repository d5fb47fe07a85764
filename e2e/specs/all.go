// Package specs holds what draconform asserts, one behaviour in a file.
package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// Profiles.
const (
	partitioning    = "partitioning"
	multiHost       = "multi-host"
	prioritizedList = "prioritized-list"
	affinity        = "sharing-affinity"
	capacity        = "capacity"
	driver          = "driver"
)

// All returns every spec, in the order they run.
func All() []suite.Spec {
	return slices.Concat(ofPartitioning, ofMultiHost, ofPrioritizedList, ofAffinity, ofCapacity, ofDriver())
}
