// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// withheld contains the features that the API server lacks although it kept
// their fields in a dry run. This happens while API servers with different
// feature gates serve the same cluster.
type withheld struct{ counters, sharing bool }

// add records the feature of dropped fields. If it is unknown, add assumes
// counters, because dropping them has the most serious effect.
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

// reduce removes withheld features from the offer that a dry run returned. A
// feature is no longer withheld once a dry run has shown that the API server
// lacks it.
func (w *withheld) reduce(detected Offer) Offer {
	if detected.Form == NoCounters {
		w.counters = false
	}
	if detected.WithoutShared {
		w.sharing = false
	}
	if w.counters {
		detected.Form = NoCounters
	}
	detected.WithoutShared = detected.WithoutShared || w.sharing
	return detected
}
