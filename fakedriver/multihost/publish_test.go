// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/multihost"
	"github.com/draconform/draconform/fakedriver/topology"
)

// Devices of the topology 4x4. Hosts 0 and 1 are the upper half, hosts 2 and 3
// are the lower half.
var (
	allDevices     = []string{"tpu-2x2-0-0", "tpu-2x2-0-2", "tpu-2x2-2-0", "tpu-2x2-2-2", "tpu-2x4-0-0", "tpu-2x4-2-0", "tpu-4x4-0-0"}
	withoutHost1   = []string{"tpu-2x2-0-0", "tpu-2x2-2-0", "tpu-2x2-2-2", "tpu-2x4-2-0"}
	withoutHosts12 = []string{"tpu-2x2-0-0", "tpu-2x2-2-2"}
)

func with(description string) func(*multihost.Config) {
	return func(config *multihost.Config) {
		var err error
		if config.Topology, err = topology.Parse([]byte(description)); err != nil {
			panic(err)
		}
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	r := c.start(t, "a")
	r.eventuallySays("200 4 of 4 hosts, 7 of 7 devices available")
	c.g.Expect(c.eventuallyAvailable(allDevices...)).To(BeNumerically("==", 1), "generation")
	for _, slice := range c.stored(c.g) {
		c.g.Expect(slice.Spec.Driver).To(Equal(driver))
		c.g.Expect(slice.Spec.Pool.Name).To(Equal("4x4"))
		c.g.Expect(slice.Spec.PerDeviceNodeSelection).To(HaveValue(BeTrue()))
	}
	r.stop()
	c.g.Expect(c.stored(c.g)).To(HaveLen(2), "a restart keeps the slices")
}

// 64 hosts have 95 devices. The pool has one slice with counters and two with
// devices.
func TestCompletePoolsAreConsistent(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(64))
	// Every third write fails.
	writes := 0
	flaky := func(clienttesting.Action) (bool, runtime.Object, error) {
		writes++
		return writes%3 == 0, nil, errors.New("not now")
	}
	c.server.Client.PrependReactor("update", "resourceslices", flaky)
	r := c.start(t, "a", with("{name: pod, grid: 16x16, hosts: {chips: 2x2, label: "+hostLabel+"}, slices: [{shape: 2x2}, {shape: 4x4}, {shape: 4x8}, {shape: 8x8}, {shape: 8x16}, {shape: 16x16}]}"))
	r.eventuallySays("200 64 of 64 hosts, 95 of 95 devices available")
	for host := range 20 {
		c.setLabel(host*3, "gone")
	}
	r.eventuallySays("200 44 of 64 hosts")
	for host := range 20 {
		c.setLabel(host*3, newHost(host * 3).Labels[hostLabel])
	}
	r.eventuallySays("200 64 of 64 hosts, 95 of 95 devices available")
	c.g.Expect(c.stored(c.g)).To(HaveLen(3))
	c.witness.mu.Lock()
	defer c.witness.mu.Unlock()
	c.g.Expect(c.witness.complete).To(BeNumerically(">=", 3), "the witness has seen complete pools")
}

func TestPoolsOfAnotherTopologyAreRemoved(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(16))
	before := c.start(t, "a")
	before.eventuallySays("200 4 of 4 hosts")
	before.stop()
	c.start(t, "b", func(config *multihost.Config) {
		config.Topology, _ = topology.Load("8x8")
	}).eventuallySays("200 16 of 16 hosts, 31 of 31 devices available")
	c.g.Eventually(func(g Gomega) {
		for _, slice := range c.stored(g) {
			g.Expect(slice.Spec.Pool.Name).To(Equal("8x8"))
		}
	}, "5s", "10ms").Should(Succeed(), "the hosts are published twice for too long")
}

// Guards that few requests are necessary, because each request may have a high
// latency.
func TestPublishingNeedsFewRequests(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(16))
	r := c.start(t, "a", func(config *multihost.Config) {
		config.Topology, _ = topology.Load("8x8")
		config.CheckInterval = time.Hour
	})
	r.eventuallySays("200 16 of 16 hosts, 31 of 31 devices available")
	verbs := map[string]int{}
	for _, action := range r.client.Actions() {
		if action.GetResource().Resource != "leases" {
			verbs[action.GetVerb()+" "+action.GetResource().Resource]++
		}
	}
	c.g.Expect(verbs).To(Equal(map[string]int{
		"list nodes": 1, "watch nodes": 1,
		// One informer is that of the leader, the other is that of
		// resourceslice.Controller.
		"list resourceslices": 2, "watch resourceslices": 2,
		// Two requests are dry runs, two create slices.
		"create resourceslices": 4,
	}))
	r.client.ClearActions()
	c.setLabel(7, "gone")
	r.eventuallySays("200 15 of 16 hosts")
	c.g.Expect(r.writes()).To(Equal(2))
}

func TestRejectedSlicesAreReported(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	c.server.Client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateActionImpl)
		rejected := len(create.CreateOptions.DryRun) == 0 && len(create.GetObject().(*resourceapi.ResourceSlice).Spec.Devices) > 0
		return rejected, nil, errors.New("quota exceeded")
	})
	c.start(t, "a").eventuallySays("503 the API server does not have the devices: processing ResourceSlice objects: create resource slice: quota exceeded")
}

func BenchmarkPublish8x8(b *testing.B) {
	for b.Loop() {
		described, err := topology.Load("8x8")
		if err != nil {
			b.Fatal(err)
		}
		var objects []runtime.Object
		for _, node := range hosts(16) {
			objects = append(objects, node)
		}
		server := fakeapi.New(objects)
		last := make(chan struct{})
		created := 0
		server.Client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if len(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun) == 0 {
				if created++; created == 2 {
					close(last)
				}
			}
			return false, nil, nil
		})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- multihost.Run(ctx, multihost.Config{
				DriverName: driver, Topology: described, Namespace: "drivers", Identity: "a", ReadinessAddress: "127.0.0.1:0", Client: server.Client,
			})
		}()
		<-last
		cancel()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
}
