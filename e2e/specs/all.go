// Package specs contains the specs of draconform, one behaviour in each file.
package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// The profiles.
const (
	partitioning    = "partitioning"
	multiHost       = "multi-host"
	prioritizedList = "prioritized-list"
	affinity        = "sharing-affinity"
	capacity        = "capacity"
	driver          = "driver"
)

// All returns every spec in the order of execution.
func All() []suite.Spec {
	return slices.Concat(ofPartitioning, ofMultiHost, ofPrioritizedList, ofAffinity, ofCapacity, ofDriver())
}
