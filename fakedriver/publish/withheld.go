package publish

import (
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// withheld are features that the API server lacks although a dry run said that
// it has them, as happens while API servers with different feature gates share
// the load.
type withheld struct{ counters, sharing bool }

// add notes what the API server dropped. What cannot be told may be counters,
// which matter most.
func (w *withheld) add(dropped *resourceslice.DroppedFieldsError) {
	known := false
	for _, feature := range dropped.DisabledFeatures() {
		switch feature {
		case "DRAConsumableCapacity":
			w.sharing, known = true, true
		case "DRAPartitionableDevices":
			w.counters, known = true, true
		}
	}
	w.counters = w.counters || !known
}

// reduce returns what can be offered of what a dry run promised. A feature is
// trusted again once a dry run has said that the API server lacks it, too.
func (w *withheld) reduce(promised Offer) Offer {
	if promised.Form == NoCounters {
		w.counters = false
	}
	if promised.WithoutShared {
		w.sharing = false
	}
	if w.counters {
		promised.Form = NoCounters
	}
	promised.WithoutShared = promised.WithoutShared || w.sharing
	return promised
}
