// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Read parses the first line that the workload prints. Other output is an
// error, because it would be mistaken for a container without devices.
func Read(log []byte) (Report, error) {
	line, _, ok := bytes.Cut(log, []byte("\n"))
	if !ok {
		return Report{}, fmt.Errorf("the container has not reported its devices yet; its log: %q", log)
	}
	var r Report
	if err := json.Unmarshal(line, &r); err != nil {
		return Report{}, fmt.Errorf("read the container's report %q: %w", line, err)
	}
	if r.Kind != Kind {
		return Report{}, fmt.Errorf("the container's first line is no report of kind %s: %q", Kind, line)
	}
	if r.APIVersion != APIVersion {
		return Report{}, fmt.Errorf("the container's report has the version %q, not %q: the workload image must be of the same version as draconform", r.APIVersion, APIVersion)
	}
	return r, nil
}
