// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/state"
)

func clean(t *testing.T) *state.Objects {
	t.Helper()
	objects, err := state.Read([]string{"testdata/clean.yaml"}, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return objects
}

func TestRulesAreSilentAboutWhatIsAsItShouldBe(t *testing.T) {
	g := NewWithT(t)
	findings, err := Check(t.Context(), clean(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(findings).To(BeEmpty())
}

func TestRuleIDsAreUniqueAndDescribed(t *testing.T) {
	g := NewWithT(t)
	seen := sets.New[string]()
	for _, rule := range Rules() {
		g.Expect(rule.ID).To(MatchRegexp(`^[a-z]+(-[a-z]+)+$`))
		g.Expect(seen.Has(rule.ID)).To(BeFalse(), rule.ID)
		g.Expect(rule.Sentence).To(HaveSuffix("."), rule.ID)
		g.Expect(rule.Severity).To(BeElementOf(Error, Warning), rule.ID)
		seen.Insert(rule.ID)
	}
}

func TestEveryRuleIsShownToFireAndToStaySilent(t *testing.T) {
	g := NewWithT(t)
	fires := sets.New[string]()
	for _, c := range allCases() {
		if len(c.want) > 0 {
			fires.Insert(c.rule)
		}
	}
	for _, rule := range Rules() {
		g.Expect(fires.Has(rule.ID)).To(BeTrue(), "no case makes rule %s fire; that it stays silent the clean file shows", rule.ID)
	}
}

func TestRules(t *testing.T) {
	for _, c := range allCases() {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			g := NewWithT(t)
			objects := clean(t)
			c.change(&world{objects})
			findings, err := Check(t.Context(), objects)
			g.Expect(err).NotTo(HaveOccurred())
			got := []string{}
			for _, f := range findings {
				if f.Rule == c.rule {
					got = append(got, f.Kind+" "+f.Name+": "+f.Path+": "+f.Message)
				}
			}
			g.Expect(got).To(Equal(append([]string{}, c.want...)))
		})
	}
}

// ruleCase changes the clean file and expects these findings of one rule.
type ruleCase struct {
	rule, name string
	change     func(*world)
	want       []string
}

func allCases() []ruleCase {
	return slices.Concat(sliceCases(), limitCases(), claimCases(), templateCases(), poolCases(), affinityCases())
}

// world provides access to the parts of the clean file.
type world struct{ *state.Objects }

func (w *world) counters() *resourceapi.ResourceSlice { return w.Slices[0] }
func (w *world) gpus() *resourceapi.ResourceSlice     { return w.Slices[1] }
func (w *world) nics() *resourceapi.ResourceSlice     { return w.Slices[2] }
func (w *world) gpu() *resourceapi.Device             { return &w.gpus().Spec.Devices[0] }
func (w *world) nic() *resourceapi.Device             { return &w.nics().Spec.Devices[0] }
func (w *world) class() *resourceapi.DeviceClass      { return w.Classes[0] }
func (w *world) claim() *resourceapi.DeviceClaim      { return &w.Claims[0].Spec.Devices }

func (w *world) template() *resourceapi.DeviceClaim { return &w.Templates[0].Spec.Spec.Devices }

func quantities(texts ...string) []resource.Quantity {
	var list []resource.Quantity
	for _, text := range texts {
		list = append(list, resource.MustParse(text))
	}
	return list
}

// policy changes the policy of the only capacity of the shared device.
func (w *world) policy(change func(*resourceapi.CapacityRequestPolicy)) {
	change(w.nic().Capacity["example.com/bandwidth"].RequestPolicy)
}

func (w *world) capacity(change func(*resourceapi.DeviceCapacity)) {
	c := w.nic().Capacity["example.com/bandwidth"]
	change(&c)
	w.nic().Capacity["example.com/bandwidth"] = c
}

func TestFindingsAreInTheOrderOfObjectsAndRules(t *testing.T) {
	g := NewWithT(t)
	objects := clean(t)
	w := &world{objects}
	w.claim().Requests[0].Name = "First"            // A later object, an early rule.
	w.gpus().Spec.Pool.Generation = -1              // A later rule,
	w.gpus().Spec.Devices[0].Name = "gpu_0_part"    // and an earlier one of the same object.
	w.nics().Spec.Devices[0].NodeName = ptr.To("n") // A field that is invalid without perDeviceNodeSelection.
	findings, err := Check(t.Context(), objects)
	g.Expect(err).NotTo(HaveOccurred())
	got := []string{}
	for _, f := range findings {
		if f.Severity == Error {
			got = append(got, f.Name+" "+f.Rule)
		}
	}
	g.Expect(got).To(Equal([]string{
		"n1-devices name-invalid", "n1-devices slice-pool", "n1-nics slice-node-selection",
		"two-gpus name-invalid", "two-gpus request-unknown", "two-gpus request-unknown", "two-gpus request-unknown",
	}))
}

func TestFindingIsOneLineWithFileObjectPathLimitAndNumber(t *testing.T) {
	g := NewWithT(t)
	objects := clean(t)
	w := &world{objects}
	w.gpu().ConsumesCounters[0].CompatibilityGroups = []string{"a", "b", "c"}
	findings, err := Check(t.Context(), objects)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(findings).To(HaveLen(1))
	g.Expect(findings[0].String()).To(Equal("testdata/clean.yaml, document 2: error: ResourceSlice n1-devices: " +
		"spec.devices[0].consumesCounters[0].compatibilityGroups: has 3 compatibility groups, at most 2 are allowed (limit-compatibility-groups)"))
	g.Expect(findings[0].Number).To(Equal(3))
	g.Expect(findings[0].Limit).To(Equal(2))
}

func TestCheckEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, clean(t))
	g.Expect(err).To(MatchError(context.Canceled))
}
