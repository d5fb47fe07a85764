// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// What belongs to a device, and not to a claim, may be left when the claim is unprepared.
func TestLeftCDIDevices(t *testing.T) {
	const uid = "8b1f4a5e-0000-4000-8000-000000000001"
	for name, test := range map[string]struct {
		device, path string
		existed      bool
		want         string
	}{
		"a device of the claim":         {"example.com/gpu=" + uid, "/var/run/cdi/example.json", false, "is still defined"},
		"a device with any name":        {"example.com/gpu=x1", "/var/run/cdi/example.json", false, "is still defined"},
		"a device that existed":         {"example.com/gpu=x1", "/var/run/cdi/example.json", true, ""},
		"a device by its name":          {"example.com/gpu=gpu-0", "/var/run/cdi/example.json", false, ""},
		"a file of the claim":           {"example.com/gpu=gpu-0", "/var/run/cdi/" + uid + ".json", false, "has the UID of an unprepared claim in its name"},
		"a name that begins with it":    {"example.com/gpu=gpu-0-claim", "/var/run/cdi/example.json", false, "is still defined"},
		"a device of the claim existed": {"example.com/gpu=" + uid, "/var/run/cdi/example.json", true, "is still defined"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			now := CDIFiles{{Path: test.path, Devices: []string{test.device}}}
			var before CDIFiles
			if test.existed {
				before = now
			}
			err := now.left(before, Answers{uid: []operations.PreparedDevice{{Pool: "node-1", Device: "gpu-0", CDIDevices: []string{test.device}}}})
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

// The names of CDI devices have no meaning for a claim that was unprepared in between,
// but whether there are any.
func TestAnswersWithoutNames(t *testing.T) {
	g := NewWithT(t)
	answer := func(cdi ...string) Answers {
		return Answers{"uid": []operations.PreparedDevice{{Device: "gpu-0", CDIDevices: cdi}}}
	}
	g.Expect(answer("a=1").withoutNames()).To(Equal(answer("a=2", "a=3").withoutNames()))
	g.Expect(answer("a=1").withoutNames()).NotTo(Equal(answer().withoutNames()))
	before := answer("a=1")
	before.withoutNames()
	g.Expect(before).To(Equal(answer("a=1")), "the answers themselves do not change")
}
