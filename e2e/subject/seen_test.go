package subject

import (
	"bytes"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// printed returns the log of the workload in a container with the given
// devices.
func printed(t *testing.T, devices ...devenv.Device) []byte {
	t.Helper()
	g := NewWithT(t)
	var environ []string
	for _, d := range devices {
		variable, err := d.Variable()
		g.Expect(err).NotTo(HaveOccurred())
		environ = append(environ, variable)
	}
	var log bytes.Buffer
	g.Expect(json.NewEncoder(&log).Encode(report.New(environ, report.Request{}))).To(Succeed())
	return log.Bytes()
}

func device(name string) devenv.Device {
	return devenv.Device{Driver: "mig.example.com", Pool: "node-1", Device: name, Request: "r", ClaimUID: "uid"}
}

func TestSeen(t *testing.T) {
	g := NewWithT(t)
	g.Expect(seen(printed(t))).To(BeEmpty(), "a container without devices")
	g.Expect(seen(printed(t, device("a"), device("b")))).To(Equal([]audit.DeviceID{
		{Driver: "mig.example.com", Pool: "node-1", Device: "a"}, {Driver: "mig.example.com", Pool: "node-1", Device: "b"},
	}))
	g.Expect(seen(append(printed(t, device("a")), "another line\n"...))).To(HaveLen(1), "only the first line counts")
}

// An unreadable log must not be mistaken for a container without devices.
func TestSeenErrors(t *testing.T) {
	for name, test := range map[string]struct{ log, want string }{
		"empty":        {"", `the container has not reported its devices yet; its log: ""`},
		"half a line":  {`{"kind":"Devices","dev`, "the container has not reported its devices yet"},
		"not JSON":     {"exec format error\n", `read the container's report "exec format error"`},
		"another kind": {"{\"level\":\"info\"}\n", "no report of kind Devices"},
		"null":         {"null\n", "no report of kind Devices"},
		"wrong type":   {`{"kind":"Devices","devices":"all"}` + "\n", "read the container's report"},
		"with errors":  {`{"kind":"Devices","devices":[],"errors":["variable X: decode device"]}` + "\n", "the container could not read its devices: [variable X: decode device]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			devices, err := seen([]byte(test.log))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(devices).To(BeEmpty())
		})
	}
}
