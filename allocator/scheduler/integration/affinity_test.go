// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

const subnet = "networking.example.com/subnet"

// sharedDevice sets allowMultipleAllocations on the devices of a slice.
func sharedDevice(s *resourceapi.ResourceSlice) {
	for i := range s.Spec.Devices {
		s.Spec.Devices[i].AllowMultipleAllocations = ptr.To(true)
	}
}

// withSubnet makes the devices of a slice available to several claims that state the same subnet.
func withSubnet(s *resourceapi.ResourceSlice) {
	sharedDevice(s)
	declared := map[string]map[string][]string{}
	for i := range s.Spec.Devices {
		declared[s.Spec.Devices[i].Name] = map[string][]string{"attributeKeys": {subnet}}
	}
	text, err := json.Marshal(declared)
	if err != nil {
		panic(err) // Unreachable: strings can always be encoded.
	}
	s.Annotations = map[string]string{allocator.AffinityAnnotation: string(text)}
}

// podInSubnet creates a pod and a claim of the same name that states a subnet.
func (c *cluster) podInSubnet(name, value string) {
	c.claimFrom(name, 1, func(claim *resourceapi.ResourceClaim) {
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{
			Opaque: &resourceapi.OpaqueDeviceConfiguration{
				Driver: "resource.k8s.io",
				Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil,
					`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{%q:{"string":%q}}}`, subnet, value)},
			},
		}}}
	})
	c.pod(name, name)
}

// subnets returns for each device the subnets of its claims.
func (c *cluster) subnets() map[string][]string {
	found := map[string][]string{}
	for _, claim := range c.claims() {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			value := string(claim.Spec.Devices.Config[0].Opaque.Parameters.Raw)
			if device := r.Pool + "/" + r.Device; !strings.Contains(strings.Join(found[device], "\n"), value) {
				found[device] = append(found[device], value)
			}
		}
	}
	return found
}

func TestConflictingPodsDoNotShareDevices(t *testing.T) {
	const perSubnet = 10
	c := newCluster(t)
	c.nodeWith("a", 1, withSubnet)
	c.nodeWith("b", 1, withSubnet)
	c.startScheduler(nil)
	var all sync.WaitGroup
	for _, value := range []string{"x", "y", "z"} {
		all.Go(func() {
			for i := range perSubnet {
				c.podInSubnet(fmt.Sprintf("%s-%d", value, i), value)
			}
		})
	}
	all.Wait()
	served := map[string]bool{}
	for left := 3; left > 0; left-- {
		// Two of the remaining subnets have a device. In each round one of them is removed.
		c.Eventually(c.bound).Should(HaveLen(perSubnet * min(left, 2)))
		c.Expect(c.subnets()).To(HaveEach(HaveLen(1)))
		c.Expect(c.subnets()).To(HaveLen(min(left, 2)))
		c.verify(c.claims())
		released := c.bound()[0][:1]
		c.Expect(served[released]).To(BeFalse())
		served[released] = true
		if left == 3 {
			waiting := "xyz"
			for _, value := range subnetsOf(c.bound()) {
				waiting = strings.ReplaceAll(waiting, string(value), "")
			}
			c.Eventually(c.reasonOf(waiting + "-0")).Should(ContainSubstring("is locked to incompatible affinity values: " + subnet))
		}
		var pods []string
		for i := range perSubnet {
			pods = append(pods, fmt.Sprintf("%s-%d", released, i))
		}
		c.remove(pods...)
	}
	c.Expect(served).To(HaveLen(3))
}

// subnetsOf returns the first letters of the names.
func subnetsOf(pods []string) string {
	letters := ""
	for _, name := range pods {
		if !strings.Contains(letters, name[:1]) {
			letters += name[:1]
		}
	}
	return letters
}

func TestLockOfAPodThatCannotBeBoundIsReleased(t *testing.T) {
	c := newCluster(t)
	c.nodeWith("a", 1, withSubnet)
	blocked := make(chan struct{})
	var once sync.Once
	c.startScheduler(func(r *http.Request) *http.Response {
		if isStatusUpdate(r) && strings.Contains(r.URL.Path, "/doomed/") {
			once.Do(func() { <-blocked })
			return answer(r, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return nil
	})
	c.podInSubnet("doomed", "x")
	c.Eventually(func() []string {
		claim, err := c.ResourceV1().ResourceClaims("default").Get(c.ctx, "doomed", metav1.GetOptions{})
		c.Expect(err).NotTo(HaveOccurred())
		return claim.Finalizers
	}).ShouldNot(BeEmpty(), "PreBind has begun")
	c.podInSubnet("lucky", "y")
	c.Eventually(c.reasonOf("lucky")).Should(ContainSubstring(`is "x", not "y" (held by default/doomed)`))
	close(blocked)
	c.Eventually(c.nodeOf("lucky")).Should(Equal("a"))
	c.Expect(c.subnets()["a/gpu-0"]).To(HaveLen(1))
}

func TestRestartedSchedulerReadsTheLocks(t *testing.T) {
	c := newCluster(t)
	c.nodeWith("a", 1, withSubnet)
	first := c.startScheduler(nil)
	c.podInSubnet("x", "x")
	c.Eventually(c.nodeOf("x")).Should(Equal("a"))
	first.stop()

	c.podInSubnet("y", "y")
	c.podInSubnet("x2", "x")
	c.startScheduler(nil)
	c.Eventually(c.nodeOf("x2")).Should(Equal("a"))
	c.Eventually(c.reasonOf("y")).Should(ContainSubstring(`is "x", not "y"`))
	c.remove("x", "x2")
	c.Eventually(c.nodeOf("y")).Should(Equal("a"))
}

func TestDeviceThatStartsToDeclareAnAffinityIsDrainedFirst(t *testing.T) {
	c := newCluster(t)
	c.nodeWith("a", 1, sharedDevice)
	c.startScheduler(nil)
	c.podWithDevice("legacy")
	c.Eventually(c.nodeOf("legacy")).Should(Equal("a"))
	slice, err := c.ResourceV1().ResourceSlices().Get(c.ctx, "a", metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	withSubnet(slice)
	_, err = c.ResourceV1().ResourceSlices().Update(c.ctx, slice, metav1.UpdateOptions{})
	c.Expect(err).NotTo(HaveOccurred())

	// Until the scheduler has received the slice's update, it may place pods on the device. They then share it with
	// the legacy ones.
	c.Eventually(func() string {
		name := fmt.Sprintf("none-%d", len(c.claims()))
		c.podWithDevice(name)
		c.Eventually(func() string { return c.nodeOf(name)() + c.reasonOf(name)() }).ShouldNot(BeEmpty())
		return c.reasonOf(name)()
	}).Should(ContainSubstring("unknown affinity state"))
	c.podInSubnet("x", "x")
	c.Eventually(c.reasonOf("x")).Should(ContainSubstring("has unknown affinity state due to legacy or invalid active claims"))
	c.remove(c.bound()...)
	c.Eventually(c.nodeOf("x")).Should(Equal("a"))
}
