// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
)

// An API server of 1.36 keeps counters that the scheduler of 1.35 ignores.
func TestFeaturesNeedTheScheduler(t *testing.T) {
	g := NewWithT(t)
	release, err := clusters.FindRelease("1.35")
	g.Expect(err).NotTo(HaveOccurred())
	set, err := gates.Parse("DRAConsumableCapacity=true", release)
	g.Expect(err).NotTo(HaveOccurred())
	present := features.Presence{Present: true, Source: "kept"}
	found := features.Set{features.Core: present, features.Partitions: present, features.SharedDevices: present, features.SharingAffinity: {Source: "no"}}
	both := supportedByScheduler(found, skew.Running{Release: release, Gates: set})
	g.Expect(both).To(Equal(features.Set{
		features.Core: present, features.SharedDevices: present, features.SharingAffinity: {Source: "no"},
		features.Partitions: {Source: "the scheduler of 1.35 has the feature gate DRAPartitionableDevices disabled"},
	}))
	g.Expect(found[features.Partitions]).To(Equal(present), "the detected features are not changed")
}
