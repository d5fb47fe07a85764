package subject

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/workload/report"
)

// FakeMIG is the suite's own driver of one A100 40GB for each node, under the
// given driver name. The figures are KEP-4815's: the mix is its example claim,
// and two 3g.20gb use up all eight memory slices.
func FakeMIG(driver string) Subject {
	profile := func(name string) Selector {
		// Whole devices have no profile, and asking for one is an error.
		return Selector(fmt.Sprintf("device.attributes[%q].type == \"mig\" && device.attributes[%q].profile == %q", driver, driver, name))
	}
	return Subject{
		Driver: driver,
		Class:  driver,
		Partitions: Partitions{
			Parent: driver + "/parentUUID",
			Whole:  Selector(fmt.Sprintf("device.attributes[%q].type == \"gpu\"", driver)),
			Small:  profile("1g.5gb"),
			Mix:    []Selector{profile("1g.5gb"), profile("1g.5gb"), profile("2g.10gb"), profile("3g.20gb")},
			Full:   []Selector{profile("3g.20gb"), profile("3g.20gb")},
		},
		Seen: seen,
	}
}

// seen reads the first line that the workload prints.
func seen(log []byte) ([]audit.DeviceID, error) {
	line, _, ok := bytes.Cut(log, []byte("\n"))
	if !ok {
		return nil, fmt.Errorf("the container has not reported its devices yet; its log: %q", log)
	}
	var r report.Report
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("read the container's report %q: %w", line, err)
	}
	// Something else would look like a container without devices.
	if r.Kind != report.Kind {
		return nil, fmt.Errorf("the container's first line is no report of kind %s: %q", report.Kind, line)
	}
	if len(r.Errors) > 0 {
		return nil, fmt.Errorf("the container could not read its devices: %v", r.Errors)
	}
	var ids []audit.DeviceID
	for _, d := range r.Devices {
		ids = append(ids, audit.DeviceID{Driver: d.Driver, Pool: d.Pool, Device: d.Device})
	}
	return ids, nil
}
