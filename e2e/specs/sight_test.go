// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// described returns the subject of a driver file.
func described(file string) subject.Subject {
	drivers, err := driverfile.Decode("gpu.yaml", []byte(file))
	if err != nil {
		panic(err)
	}
	s, err := subject.Of(drivers...)
	if err != nil {
		panic(err)
	}
	return s
}

// Specs that see devices in containers, by what they need to see at least.
var (
	specsThatSeePresence = []string{
		"init-containers-see-devices", "restarted-container-sees-devices", "pod-without-claim-sees-no-devices", "container-restarts-after-driver-restart",
		"container-restarts-after-kubelet-restart", "partition-outlives-driver-restart", "unprepare-leaves-other-partitions",
	}
	specsThatSeeDevices = []string{
		"containers-see-their-requests", "containers-see-their-claims", "device-without-requests-is-of-all-requests", "admin-access-container-sees-device", "pods-do-not-see-each-others-devices", "prioritized-list-containers-name-requests",
		"extended-resource-containers-see-devices", "extended-resources-of-one-container", "extended-resource-init-containers-see-devices", "claims-of-namespaces-are-apart", "reallocated-claim-is-prepared-anew",
	}
)

// A spec that compares what containers see would pass in vain for a driver whose
// file does not describe that, so it does not apply to this driver.
func TestSpecsOfDriversThatContainersDoNotSee(t *testing.T) {
	const presence = "containers: [{deviceNodes: {path: /dev/gpu}, presence: true}]\n"
	const identified = "containers: [{environment: {name: GPU, value: '(?P<device>.+)'}}]\n"
	file, err := subject.FakeFile("mig")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	roles, _, _ := strings.Cut(string(file), "containers:")
	for name, test := range map[string]struct {
		containers string
		unseen     []string
		why        string
	}{
		"hidden": {
			"", append(specsThatSeePresence, specsThatSeeDevices...),
			"the file of driver mig.draconform.dev does not say how containers see devices: add containers to gpu.yaml, line ",
		},
		"present":    {presence, specsThatSeeDevices, "only shows that there are some: add an entry without presence above it to gpu.yaml, line "},
		"identified": {identified, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var unseen []string
			for _, s := range specs.All() {
				// Only the driver file counts here.
				s.Features, s.AbsentFeatures, s.Needs, s.Since = nil, nil, nil, ""
				found := features.Set{features.Partitions: {Present: true}}
				target := env.Target{Found: found, Workers: 4, Subject: described(roles + test.containers)}
				r := suite.DryRun([]suite.Spec{s}, target)[0]
				if strings.Contains(r.Reason, "containers of driver") || strings.Contains(r.Reason, "how containers see devices") {
					unseen = append(unseen, s.ID)
					g.Expect(r.Outcome).To(Equal(suite.NotApplicable))
					g.Expect(r.Reason).To(ContainSubstring(test.why), s.ID)
				}
			}
			g.Expect(unseen).To(ConsistOf(test.unseen))
		})
	}
}

// A body that compares what a container sees says nothing about devices that it
// does not see. Only the comparison that every running pod gets needs no
// declaration.
func TestSpecsThatCompareDevicesDeclareWhatTheySee(t *testing.T) {
	for folder := range folders {
		for _, file := range sources(t, folder) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				g := NewWithT(t)
				content, err := os.ReadFile(file)
				g.Expect(err).NotTo(HaveOccurred())
				compares := strings.Contains(string(content), "pods.ExpectContainerDevices(")
				g.Expect(!compares || strings.Contains(string(content), "	Sees: ")).To(BeTrue(), "a spec that compares the devices of a container should declare Sees")
			})
		}
	}
}
