// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
)

// Of returns the set that Parse has configured.
func TestOfReadsWhatParseConfigures(t *testing.T) {
	for _, r := range clusters.Releases() {
		for _, name := range []string{"default", "alpha", "off", "DRAConsumableCapacity=false", "alpha,DRAPartitionableDevices=false"} {
			t.Run(r.Minor+" "+name, func(t *testing.T) {
				g := NewWithT(t)
				want, err := Parse(name, r)
				g.Expect(err).NotTo(HaveOccurred())
				got, others := Of(want.FeatureGates(), r)
				g.Expect(others).To(BeEmpty())
				g.Expect(got.Equal(want)).To(BeTrue())
				again, err := Parse(got.Name(), r)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(again.Equal(want)).To(BeTrue(), got.Name())
			})
		}
	}
}

// A set is the same before an upgrade and after the downgrade, even if it was read from the components in between. A
// gate that was set by name is not mistaken for a default of the newer release.
func TestOfKeepsSetsThroughOtherReleases(t *testing.T) {
	for _, r := range clusters.Releases() {
		for _, other := range clusters.Releases() {
			for _, name := range lists(r) {
				set, err := Parse(name, r)
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				was, _ := Of(set.FeatureGates(), r)
				there, err := was.In(other)
				if err != nil {
					continue // rejected before the cluster is changed
				}
				t.Run(r.Minor+" "+name+" through "+other.Minor, func(t *testing.T) {
					g := NewWithT(t)
					seen, _ := Of(there.FeatureGates(), other)
					back, err := seen.In(r)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(back.FeatureGates()).To(Equal(was.FeatureGates()), "the set in between is %s", seen.Name())
				})
			}
		}
	}
}

func TestOfDistinguishesAnExplicitDefault(t *testing.T) {
	g := NewWithT(t)
	explicit, _ := Of(map[string]bool{"DRAConsumableCapacity": true}, release(t, "1.36"))
	g.Expect(explicit.Name()).To(Equal("DRAConsumableCapacity=true"))
	g.Expect(explicit.FeatureGates()).To(Equal(map[string]bool{"DRAConsumableCapacity": true}))
	none, _ := Of(nil, release(t, "1.36"))
	g.Expect(explicit.Equal(none)).To(BeFalse(), "one is on in 1.35 as well")
}

// A name that lists dependent gates would be invalid in a release that does not have those gates.
func TestOfDoesNotListDependentGates(t *testing.T) {
	g := NewWithT(t)
	set, _ := Of(map[string]bool{"DRAResourceClaimDeviceStatus": false, "DRADeviceBindingConditions": false, "DRAResourceClaimGranularStatusAuthorization": false}, release(t, "1.36"))
	g.Expect(set.Name()).To(Equal("DRAResourceClaimDeviceStatus=false"))
	set, _ = Of(map[string]bool{"DRADeviceTaints": true, "DRADeviceTaintRules": true}, release(t, "1.35"))
	g.Expect(set.Name()).To(Equal("DRADeviceTaintRules=true"))
}

func TestOfRecognizesNamedSets(t *testing.T) {
	for _, name := range []string{"default", "alpha", "off"} {
		g := NewWithT(t)
		set, err := Parse(name, release(t, "1.36"))
		g.Expect(err).NotTo(HaveOccurred())
		got, _ := Of(set.FeatureGates(), release(t, "1.36"))
		g.Expect(got.Name()).To(Equal(name))
	}
}

func TestOfReturnsUnknownGatesSeparately(t *testing.T) {
	g := NewWithT(t)
	set, others := Of(map[string]bool{"DRAConsumableCapacity": false, "DRADerivedAttributes": true, "GracefulNodeShutdown": true}, release(t, "1.36"))
	g.Expect(others).To(Equal(map[string]bool{"DRADerivedAttributes": true, "GracefulNodeShutdown": true}), "one is of 1.37, the other is no gate of DRA")
	g.Expect(set.Name()).To(Equal("DRAConsumableCapacity=false"))
	g.Expect(set.FeatureGates()).To(Equal(map[string]bool{"DRAConsumableCapacity": false}))
}

func TestInKeepsTheNameOfASet(t *testing.T) {
	g := NewWithT(t)
	set, err := Parse("alpha", release(t, "1.36"))
	g.Expect(err).NotTo(HaveOccurred())
	newer, err := set.In(release(t, "1.37"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(newer.Name()).To(Equal("alpha"))
	g.Expect(newer.FeatureGates()).To(HaveKeyWithValue("DRADerivedAttributes", true))
	g.Expect(newer.FeatureGates()).NotTo(HaveKey("DRADeviceTaintRules"), "it is on by default since 1.37")
}

func TestInRejectsGatesThatTheReleaseLacks(t *testing.T) {
	g := NewWithT(t)
	set, err := Parse("DRADerivedAttributes=true", release(t, "1.37"))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = set.In(release(t, "1.36"))
	g.Expect(err).To(MatchError(ContainSubstring(`"DRADerivedAttributes" is not known in Kubernetes 1.36, only in 1.37`)))
}

func TestEqualComparesReleases(t *testing.T) {
	g := NewWithT(t)
	older, err := Parse("default", release(t, "1.36"))
	g.Expect(err).NotTo(HaveOccurred())
	newer, err := older.In(release(t, "1.37"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(older.Equal(older)).To(BeTrue())
	g.Expect(older.Equal(newer)).To(BeFalse())
}
