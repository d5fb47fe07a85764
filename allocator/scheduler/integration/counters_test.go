// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// partitioned publishes GPUs with 7 slices each, with partitions of 1, 2, 3, 4 and 7 slices (KEP-4815).
func (c *cluster) partitioned(node string, gpus int) {
	c.node(node, 0)
	pool := resourceapi.ResourcePool{Name: node, ResourceSliceCount: 2}
	counters := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-counters"},
		Spec:       resourceapi.ResourceSliceSpec{Driver: driver, NodeName: ptr.To(node), Pool: pool},
	}
	devices := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-devices"},
		Spec:       resourceapi.ResourceSliceSpec{Driver: driver, NodeName: ptr.To(node), Pool: pool},
	}
	for g := range gpus {
		set := fmt.Sprintf("gpu-%d", g)
		amount := func(n int) map[string]resourceapi.Counter {
			return map[string]resourceapi.Counter{"slices": {Value: resource.MustParse(strconv.Itoa(n))}}
		}
		counters.Spec.SharedCounters = append(counters.Spec.SharedCounters, resourceapi.CounterSet{Name: set, Counters: amount(7)})
		for _, size := range []int{1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 7} {
			devices.Spec.Devices = append(devices.Spec.Devices, resourceapi.Device{
				Name:             fmt.Sprintf("%s-part-%d", set, len(devices.Spec.Devices)),
				Attributes:       map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"size": {IntValue: ptr.To(int64(size))}},
				ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: set, Counters: amount(size)}},
			})
		}
	}
	for _, slice := range []*resourceapi.ResourceSlice{counters, devices} {
		_, err := c.ResourceV1().ResourceSlices().Create(c.ctx, slice, metav1.CreateOptions{})
		c.Expect(err).NotTo(HaveOccurred())
	}
}

func TestCountersAreNeverOverdrawn(t *testing.T) {
	const pods = 60
	c := newCluster(t)
	c.partitioned("a", 2)
	c.partitioned("b", 1)
	c.startScheduler(nil)
	random := rand.New(rand.NewPCG(1, 2))
	sizes := make([]int, pods)
	for i := range sizes {
		sizes[i] = []int{1, 2, 3, 4, 7}[random.IntN(5)]
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < pods; i += 4 {
				name := fmt.Sprintf("p%02d", i)
				c.claimFrom(name, 1, func(claim *resourceapi.ResourceClaim) {
					claim.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
						Expression: fmt.Sprintf(`device.attributes[%q].size == %d`, driver, sizes[i]),
					}}}
				})
				c.pod(name, name)
			}
		})
	}
	served := map[string]bool{}
	for len(served) < pods {
		var now []string
		c.Eventually(func() []string { now = c.bound(); return now }).ShouldNot(BeEmpty())
		c.allocated()
		for _, pod := range now {
			c.Expect(served[pod]).To(BeFalse())
			served[pod] = true
		}
		c.remove(now...)
		c.allocated()
	}
	all.Wait()
}

func TestNoPodIsEvictedForDevices(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	c.startScheduler(nil)
	c.podWithDevice("low")
	c.Eventually(c.nodeOf("low")).Should(Equal("a"))
	c.claim("high", 1)
	c.podFrom("high", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("high")}}
		p.Spec.PriorityClassName = "system-node-critical"
	})
	// Claims outlive pods: evicting the consumer of a claim does not release its devices.
	c.Eventually(c.reasonOf("high")).Should(And(
		ContainSubstring("claim default/high, request req: 1 requested, 0 free: 1 of 1 device: in use (held by default/low)"),
		ContainSubstring("Preemption is not helpful for scheduling")))
	c.Expect(c.bound()).To(ConsistOf("low"))
	c.remove("low")
	c.Eventually(c.nodeOf("high")).Should(Equal("a"))
}
