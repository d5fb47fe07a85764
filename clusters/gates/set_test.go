// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/component-base/featuregate"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
)

var update = flag.Bool("update", false, "write testdata from what the code returns")

// golden is the content of a file in testdata.
type golden struct {
	FeatureGates  map[string]bool   `json:"featureGates"`
	RuntimeConfig map[string]string `json:"runtimeConfig"`
	// States contains a gate's stage, whether it is on, and whether that is its default or locked.
	States map[string]string `json:"states"`
}

func goldenOf(set Set) golden {
	states := map[string]string{}
	for _, s := range set.States() {
		text := string(s.Stage) + map[bool]string{true: " on", false: " off"}[s.Enabled]
		if s.Enabled != s.Default {
			text += ", not the default"
		}
		if s.Locked {
			text += ", locked"
		}
		states[s.Name] = text
	}
	return golden{set.FeatureGates(), set.RuntimeConfig(), states}
}

// TestSets compares every set in every release with testdata. Review the changes of -update: clusters are configured
// with these sets.
func TestSets(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		for _, name := range []string{nameDefault, nameAlpha, nameOff} {
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				set, err := Parse(name, r)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(set.Name()).To(Equal(name))
				got, err := yaml.Marshal(goldenOf(set))
				g.Expect(err).NotTo(HaveOccurred())
				path := filepath.Join("testdata", r.Minor+"-"+name+".yaml")
				if *update {
					g.Expect(os.WriteFile(path, got, 0o644)).To(Succeed())
				}
				want, err := os.ReadFile(path)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(string(got)).To(Equal(string(want)), "run the test with -update if this is intended")
			})
		}
	})
}

// TestKubernetesAcceptsSets passes sets to the code that components use to parse their feature gates.
func TestKubernetesAcceptsSets(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		f := featuresOf(t, r)
		for _, list := range lists(r) {
			t.Run(list, func(t *testing.T) {
				g := NewWithT(t)
				set, err := Parse(list, r)
				g.Expect(err).NotTo(HaveOccurred())
				gate := f.gate(t, r, "")
				g.Expect(gate.SetFromMap(set.FeatureGates())).To(Succeed())
				for _, state := range set.States() {
					g.Expect(gate.Enabled(featuregate.Feature(state.Name))).To(Equal(state.Enabled), state.Name)
				}
			})
		}
	})
}

// lists returns the names of sets, and each name followed by a single gate with every value that the release allows.
func lists(r clusters.Release) []string {
	var all []string
	for _, base := range []string{nameDefault, nameAlpha, nameOff} {
		all = append(all, base)
		for _, row := range gatesOf(r.Minor) {
			for _, value := range []string{"true", "false"} {
				if check(row.name, value == "true", r) == nil {
					all = append(all, base+","+row.name+"="+value)
				}
			}
		}
	}
	return all
}

// TestOffDisablesAllUnlockedGates checks that only locked DRA gates remain on.
func TestOffDisablesAllUnlockedGates(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		set, err := Parse(nameOff, r)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		for _, state := range set.States() {
			if isDRA(state.Name) {
				g.Expect(state.Enabled).To(Equal(state.Locked), state.Name)
			}
		}
		g.Expect(set.RuntimeConfig()).To(BeEmpty())
		for name, on := range set.FeatureGates() {
			g.Expect(on).To(BeFalse(), name)
		}
	})
}

func TestAlphaEnablesAllGates(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		set, err := Parse(nameAlpha, r)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		for _, state := range set.States() {
			if isDRA(state.Name) {
				g.Expect(state.Enabled).To(BeTrue(), state.Name)
			}
		}
	})
}

func TestDefaultIsEmpty(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		set, err := Parse(nameDefault, r)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(set.FeatureGates()).To(BeEmpty())
		g.Expect(set.RuntimeConfig()).To(BeEmpty())
	})
}

func TestEnabled(t *testing.T) {
	g := NewWithT(t)
	set, err := Parse("DRAPartitionableDevices=true", release(t, "1.35"))
	g.Expect(err).NotTo(HaveOccurred())
	enabled := func(name string) []bool {
		on, known := set.Enabled(name)
		return []bool{on, known}
	}
	g.Expect(enabled("DRAPartitionableDevices")).To(Equal([]bool{true, true}))
	g.Expect(enabled("DRAConsumableCapacity")).To(Equal([]bool{false, true}))
	g.Expect(enabled("DRADerivedAttributes")).To(Equal([]bool{false, false}), "a gate of 1.37")
}

func TestResultsAreCopies(t *testing.T) {
	g := NewWithT(t)
	set, err := Parse(nameAlpha, release(t, "1.36"))
	g.Expect(err).NotTo(HaveOccurred())
	gates, served := maps.Clone(set.FeatureGates()), maps.Clone(set.RuntimeConfig())
	clear(set.FeatureGates())
	clear(set.RuntimeConfig())
	g.Expect(set.FeatureGates()).To(Equal(gates))
	g.Expect(set.RuntimeConfig()).To(Equal(served))
}

// release returns the release with the given name.
func release(t *testing.T, minor string) clusters.Release {
	t.Helper()
	r, err := clusters.FindRelease(minor)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return r
}

// A scheduler of 1.37 uses DeviceTaintRules at v1 and PodGroups at v1beta1. In older releases, their gates need other
// versions.
func TestMovedAPIs(t *testing.T) {
	for name, want := range map[string]OmegaMatcher{
		"1.34 default": BeEmpty(), "1.34 off": BeEmpty(), "1.34 alpha": ConsistOf("DRADeviceTaints"),
		"1.34 DRAPartitionableDevices=true": BeEmpty(),
		"1.35 default":                      BeEmpty(), "1.35 off": BeEmpty(), "1.35 alpha": ConsistOf("DRADeviceTaintRules"),
		"1.35 alpha,GenericWorkload=true": ConsistOf("DRADeviceTaintRules", "GenericWorkload"),
		"1.36 default":                    BeEmpty(), "1.36 off": BeEmpty(), "1.36 alpha": ConsistOf("DRADeviceTaintRules", "GenericWorkload"),
		"1.36 DRAResourcePoolStatus=true": BeEmpty(), // the same version in both
		"1.37 alpha":                      BeEmpty(),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			minor, list, _ := strings.Cut(name, " ")
			release, err := clusters.FindRelease(minor)
			g.Expect(err).NotTo(HaveOccurred())
			set, err := Parse(list, release)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(set.MovedAPIs("1.37")).To(want)
		})
	}
}
