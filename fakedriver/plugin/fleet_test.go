// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// Guards that two drivers of a process share no state.
func TestSecondDriver(t *testing.T) {
	gpu, other := newClaim(driver, "gpu-0", "gpu"), newClaim(second, "gpu-0", "other")
	r := start(t, gpu, other)
	_, err := r.Publish(t.Context(), second, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).To(HaveLen(52))
	r.g.Eventually(func() []string { return r.devices(driver) }, "1m").Should(HaveLen(26))

	r.g.Expect(r.Inject(t.Context(), second, calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "no"})).To(Succeed())
	first, another := r.kubelet(driver), r.kubelet(second)
	_, err = first.prepare(t.Context(), gpu)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = another.prepare(t.Context(), other)
	r.g.Expect(err).To(HaveOccurred())
	_, err = another.prepare(t.Context(), other)
	r.g.Expect(err).NotTo(HaveOccurred(), "devices of the same name are different")

	all, err := r.List(t.Context())
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(all).To(HaveExactElements(
		And(HaveField("Driver", driver), HaveField("Claims", []string{"default/gpu"}), HaveField("Registered", true)),
		And(HaveField("Driver", second), HaveField("Claims", []string{"default/other"}), HaveField("Registered", true)),
	))
	log, err := r.Calls(t.Context(), driver, 0)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(log).To(HaveLen(3))
}

func TestStopDriver(t *testing.T) {
	claim := newClaim(second, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	kubelet := r.kubelet(second)
	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.Stop(t.Context(), second)).To(And(MatchError(control.ErrInUse), MatchError(ContainSubstring("default/claim"))))
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed(), "the driver keeps running")

	r.g.Expect(r.Stop(t.Context(), second)).To(Succeed())
	r.g.Expect(r.slices(second)).To(BeEmpty())
	r.g.Expect(r.registrar(second)).NotTo(BeAnExistingFile())
	r.g.Expect(filepath.Join(r.config.PluginsDir, driver, "drivers", second)).NotTo(BeAnExistingFile())
	r.g.Expect(r.Stop(t.Context(), second)).To(MatchError(control.ErrUnknownDriver))
	r.g.Expect(r.Stop(t.Context(), driver)).To(MatchError(ContainSubstring("mig.example.com is the pod's own driver")))
	r = r.restart()
	r.g.Expect(r.List(t.Context())).To(HaveLen(1))

	_, err = r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred(), "a name can be used again")
	r.g.Expect(r.devices(second)).To(HaveLen(26))
}

func TestDriversSurviveARestart(t *testing.T) {
	claim := newClaim(second, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.Publish(t.Context(), second, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	before := r.slices(second)
	_, err = r.kubelet(second).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())

	r = r.restart()
	status, err := r.Status(t.Context(), second)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Published).To(Equal(twoGPUs))
	r.g.Expect(status.Claims).To(Equal([]string{"default/claim"}))
	r.g.Expect(r.kubelet(second).unprepare(t.Context(), claim)).To(Succeed())
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), second) }, "1m").Should(HaveField("Pending", ""))
	r.g.Expect(r.slices(second)).To(Equal(before), "valid slices are not written again")
}

// Guards that a driver with a corrupt state file keeps its slices and serves
// the kubelet.
func TestCorruptState(t *testing.T) {
	claim := newClaim(second, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.kubelet(second).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	before := r.slices(second)
	r.g.Expect(r.stop()).To(Succeed())
	dir := filepath.Join(r.config.PluginsDir, driver)
	for _, path := range []string{dir, filepath.Join(dir, "drivers", second)} {
		r.g.Expect(os.WriteFile(filepath.Join(path, "published.json"), []byte(`{"devi`), 0o600)).To(Succeed())
	}

	for range 2 {
		r = r.restart()
		status, err := r.Status(t.Context(), second)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(status.Pending).To(ContainSubstring("the content of this driver is not known"))
		r.g.Expect(status.Claims).To(Equal([]string{"default/claim"}))
		r.g.Expect(r.slices(second)).To(Equal(before))
		r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published", oneGPU), "the pod's own driver has flags")
	}
	r.g.Expect(filepath.Join(dir, "drivers", second, "published.json.corrupt-1")).To(BeARegularFile())
	r.g.Expect(filepath.Join(dir, "published.json.corrupt-1")).To(BeARegularFile())
	r.g.Expect(r.kubelet(second).unprepare(t.Context(), claim)).To(Succeed())
	_, err = r.Publish(t.Context(), second, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).To(HaveLen(52))
}

func TestNamesOfDrivers(t *testing.T) {
	r := start(t)
	for _, name := range []string{"UPPER", "-x", "1x", "a_b", strings.Repeat("a", 64), strings.Repeat("a", 60)} {
		_, err := r.Publish(t.Context(), name, oneGPU)
		r.g.Expect(err).To(MatchError(control.ErrInvalid), name)
	}
	_, err := r.Publish(t.Context(), strings.Repeat("a", 60), oneGPU)
	r.g.Expect(err).To(MatchError(MatchRegexp(`is too long: the path of its socket .* has \d+ characters, at most 107`)))
}

func TestManyDriversAtOnce(t *testing.T) {
	r := start(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := r.Publish(t.Context(), fmt.Sprintf("d%d.example.com", i), oneGPU)
			r.g.Expect(err).NotTo(HaveOccurred())
		})
	}
	all.Wait()
	for i := range 8 {
		r.g.Expect(r.devices(fmt.Sprintf("d%d.example.com", i))).To(HaveLen(26))
	}
	r.g.Expect(r.List(t.Context())).To(HaveLen(9))
}

func rules(device string, declared bool, keys ...string) map[string]affinity.Rule {
	return map[string]affinity.Rule{device: {Declaration: affinity.Declaration{AttributeKeys: keys}, Declared: declared}}
}

func subnets(device string, declared bool) map[string]affinity.Rule {
	return rules(device, declared, "net.example.com/subnet")
}

// newShare returns a claim for a slot of the shared NIC. The claim states the
// subnet as affinity value, unless it is empty.
func newShare(name, subnet string) *resourceapi.ResourceClaim {
	claim := newClaim(second, "nic-0", name)
	claim.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share-of-" + name))
	claim.Status.Allocation.Devices.Results[0].ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")}
	if subnet == "" {
		return claim
	}
	claim.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{{
		Source: resourceapi.AllocationConfigSourceClaim,
		DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: affinity.EntryDriver,
			Parameters: runtime.RawExtension{Raw: []byte(
				`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{"net.example.com/subnet":{"string":"` + subnet + `"}}}`)},
		}},
	}}
	return claim
}

// Guards that slices are created with the declarations of their devices, and
// that the driver applies all declarations in slices, regardless of which
// client wrote them.
func TestAffinity(t *testing.T) {
	a, b, none := newShare("a", "a"), newShare("b", "b"), newShare("none", "")
	r := start(t, a, b, none)
	published := nics
	published.Affinity = subnets("nic-0", true)
	_, err := r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	annotation := func() map[string]string { return r.slices(second)[0].Annotations }
	r.g.Expect(annotation()).To(HaveKeyWithValue(affinity.Annotation, `{"nic-0":{"attributeKeys":["net.example.com/subnet"]}}`))
	kubelet := r.kubelet(second)
	_, err = kubelet.prepare(t.Context(), a)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = kubelet.prepare(t.Context(), b)
	r.g.Expect(err).To(MatchError(ContainSubstring(`is shared with claim default/a: it has "a" for key net.example.com/subnet, not "b"`)))
	_, err = kubelet.prepare(t.Context(), none)
	r.g.Expect(err).To(MatchError(ContainSubstring("no StructuredParameters entry")))

	published.Affinity = subnets("nic-0", false)
	_, err = r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(annotation()).NotTo(HaveKey(affinity.Annotation))
	_, err = kubelet.prepare(t.Context(), b)
	r.g.Expect(err).To(MatchError(ContainSubstring("is shared with claim default/a")), "the driver enforces the rule itself")
	_, err = kubelet.prepare(t.Context(), none)
	r.g.Expect(err).NotTo(HaveOccurred())

	_, err = r.Publish(t.Context(), second, nics)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = kubelet.prepare(t.Context(), b)
	r.g.Expect(err).NotTo(HaveOccurred(), "the rule is removed")
}
