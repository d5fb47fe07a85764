// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/fakedriver/control"
)

const (
	ofFirst  = `device.driver == "` + driver + `"`
	ofSecond = `device.driver == "` + second + `"`
	anyGPU   = `device.attributes[device.driver].type == "gpu"`
)

// states are the states that the Kubernetes allocator reports for a pool of
// GPUs with a defect.
var states = map[control.Defect]string{
	control.DuplicateDevice:     "invalid: duplicate device name gpu-0",
	control.DuplicateCounterSet: "invalid: duplicate counter set name gpu-0-counter-set",
	control.UnknownCounterSet:   "invalid: counter set unknown not found",
	control.UnknownCounter:      "invalid: counter unknown not found in counter set gpu-0-counter-set",
	control.MissingSlice:        "incomplete",
	control.OldGeneration:       "valid",
}

// everything returns the slices of both drivers.
func (r *running) everything() []resourceapi.ResourceSlice {
	r.tb.Helper()
	return append(r.slices(driver), r.slices(second)...)
}

// expectState expects that each variant of the allocator reports the state for the
// second driver's pool and allocates accordingly. The first driver's pool is
// always valid.
func (r *running) expectState(state string) {
	r.tb.Helper()
	stored := r.everything()
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		find := func(expression string) verdict {
			return allocate(r.tb.Context(), r.g, variants[name], stored, 1, expression)
		}
		got := find(ofSecond)
		r.g.Expect(got.pools).To(Equal(map[string]string{driver + "/" + node: "valid", second + "/" + node: state}), name)
		switch state {
		case "valid":
			r.g.Expect(got.err).NotTo(HaveOccurred(), name)
			r.g.Expect(got.devices).To(HaveLen(1), name)
		case "incomplete":
			r.g.Expect(got.err).NotTo(HaveOccurred(), name)
			r.g.Expect(got.devices).To(BeEmpty(), name)
		default:
			r.g.Expect(got.err).To(And(MatchError(structured.ErrFailedAllocationOnNode), MatchError("invalid resource pools were encountered")), name)
			r.g.Expect(got.devices).To(BeEmpty(), name)
		}
		other := find(ofFirst)
		r.g.Expect(other.err).NotTo(HaveOccurred(), name)
		r.g.Expect(other.devices).To(HaveExactElements(HavePrefix(driver+"/")), "the other pool is valid, %s", name)
	}
}

// settle waits until the API server has what all drivers publish.
func (r *running) settle() {
	r.tb.Helper()
	r.g.Eventually(func() ([]control.Status, error) { return r.List(r.tb.Context()) }, "1m").Should(HaveEach(HaveField("Pending", "")))
}

// Guards that the Kubernetes allocator reports the state of each defect, also
// after a restart and until something else is published. Other pools are not
// affected.
func TestVerdict(t *testing.T) {
	for _, defect := range control.Defects() {
		t.Run(string(defect), func(t *testing.T) {
			t.Parallel()
			state := states[defect]
			r := start(t)
			spoiled := oneGPU
			spoiled.Defect = defect
			_, err := r.Publish(t.Context(), second, spoiled)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.settle()
			r.expectState(state)

			r = r.restart()
			r.settle()
			r.expectState(state)

			_, err = r.Publish(t.Context(), second, oneGPU)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.expectState("valid")
		})
	}
}

// Guards that each defect has a separate generation and that no slices of
// different defects are mixed.
func TestOneDefectAfterAnother(t *testing.T) {
	r := start(t)
	r.settle()
	var generation int64
	for range 2 {
		for _, defect := range control.Defects() {
			spoiled := oneGPU
			spoiled.Defect = defect
			_, err := r.Publish(t.Context(), second, spoiled)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.expectState(states[defect])
			now := newest(r.slices(second))
			r.g.Expect(now).To(BeNumerically(">", generation))
			generation = now
		}
	}
}

// Guards that pools without counters support the defects that need none.
func TestVerdictWithoutCounters(t *testing.T) {
	r := start(t)
	r.settle()
	for defect, state := range map[control.Defect]string{
		control.DuplicateDevice:   "invalid: duplicate device name nic-0",
		control.UnknownCounterSet: states[control.UnknownCounterSet],
		control.MissingSlice:      states[control.MissingSlice],
		control.OldGeneration:     states[control.OldGeneration],
	} {
		spoiled := nics
		spoiled.Defect = defect
		_, err := r.Publish(t.Context(), second, spoiled)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.expectState(state)
	}
}
