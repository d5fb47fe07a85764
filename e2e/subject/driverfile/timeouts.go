// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"encoding/json"
	"fmt"
	"time"
)

// Timeouts has limits of the waits of specs. A limit that is not set is the
// default of the suite, multiplied by --timeout-scale.
type Timeouts struct {
	// PodStart is how long a pod may take until it runs, from its creation or
	// from the time when its devices became available. Default: 2m.
	PodStart Duration `json:"podStart,omitzero"`
	// Unschedulable is how long the scheduler may take to report a pod as
	// unschedulable. Default: 2m.
	Unschedulable Duration `json:"unschedulable,omitzero"`
	// Stable is how long specs check that a condition remains true, for example
	// that a pod remains unschedulable. Default: 3s.
	Stable Duration `json:"stable,omitzero"`
	// Deletion is how long deleted objects may take to be removed. It includes
	// the time that the driver needs to unprepare devices. Default: 2m.
	Deletion Duration `json:"deletion,omitzero"`
	// Recovery is how long the cluster may take to recover after a restart of
	// the driver or of a component. Default: 2m.
	Recovery Duration `json:"recovery,omitzero"`
}

// Duration is a time such as 90s or 1m30s, at most 24h.
type Duration time.Duration

// maxDuration is the longest duration. A longer one is probably a mistake.
const maxDuration = 24 * time.Hour

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var value string
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("expected a time such as 90s or 1m30s: %w", err)
	}
	parsed, err := time.ParseDuration(value)
	switch {
	case err != nil:
		return fmt.Errorf("expected a time such as 90s or 1m30s: %w", err)
	case parsed <= 0 || parsed > maxDuration:
		return fmt.Errorf("expected a time above 0s and up to %s", maxDuration)
	}
	*d = Duration(parsed)
	return nil
}
