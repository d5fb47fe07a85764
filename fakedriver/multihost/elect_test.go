// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/multihost"
	"github.com/draconform/draconform/fakedriver/topology"
)

func shortLease(config *multihost.Config) { config.LeaseDuration = 3 * time.Second }

func (c *cluster) holder() string {
	lease, err := c.server.Client.CoordinationV1().Leases("drivers").Get(context.Background(), driver, metav1.GetOptions{})
	c.g.Expect(err).NotTo(HaveOccurred())
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func TestOnlyTheLeaderWrites(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	a := c.start(t, "a", shortLease)
	c.eventuallyAvailable(allDevices...)
	b := c.start(t, "b", shortLease)
	b.eventuallySays("200 standing by, the leader is a")
	c.setLabel(1, "gone")
	c.eventuallyAvailable(withoutHost1...)
	c.g.Expect(a.writes()).To(Equal(4))
	c.g.Expect(b.client.Actions()).NotTo(BeEmpty())
	c.g.Expect(b.writes()).To(BeZero())
}

func TestNextLeaderKeepsTheSlices(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	a := c.start(t, "a", shortLease)
	generation := c.eventuallyAvailable(allDevices...)
	b := c.start(t, "b", shortLease)
	b.eventuallySays("200 standing by")
	a.stop()
	c.g.Expect(c.holder()).NotTo(Equal("a"), "the lease was not released")
	b.eventuallySays("200 4 of 4 hosts, 7 of 7 devices available")
	c.g.Expect(c.holder()).To(Equal("b"))
	c.g.Expect(b.writes()).To(BeZero(), "nothing has changed")
	c.setLabel(1, "gone")
	c.g.Expect(c.eventuallyAvailable(withoutHost1...)).To(Equal(generation + 1))
}

func TestHostsMissingForTheNextLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	a := c.start(t, "a")
	generation := c.eventuallyAvailable(allDevices...)
	a.stop()
	c.setLabel(1, "gone")
	c.start(t, "b")
	c.g.Expect(c.eventuallyAvailable(withoutHost1...)).To(Equal(generation + 1))
}

func TestLeaderThatLosesTheLeaseStopsWriting(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	// After cut is set, updates of the lease by replica a fail.
	var cut atomic.Bool
	c.server.Client.PrependReactor("update", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		lease := action.(clienttesting.UpdateAction).GetObject().(*coordinationv1.Lease)
		fromA := lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != "b"
		return fromA && cut.Load(), nil, errors.New("connection lost")
	})
	a := c.start(t, "a", shortLease)
	c.eventuallyAvailable(allDevices...)
	b := c.start(t, "b", shortLease)
	b.eventuallySays("200 standing by, the leader is a")
	cut.Store(true)
	b.eventuallySays("200 4 of 4 hosts")
	a.eventuallySays("200 standing by, the leader is b")
	written := a.writes()
	c.setLabel(1, "gone")
	c.setLabel(2, "gone")
	c.eventuallyAvailable(withoutHosts12...)
	c.g.Expect(a.writes()).To(Equal(written))
	c.g.Expect(b.writes()).To(BeNumerically(">=", 2))
}

// twoClients sends requests for leases through a separate client, because a
// fake client handles requests sequentially.
type twoClients struct {
	*fake.Clientset
	leases kubernetes.Interface
}

func (c twoClients) CoordinationV1() coordinationclient.CoordinationV1Interface {
	return c.leases.CoordinationV1()
}

func TestLeaseIsReleasedAfterTheLastWrite(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	writing, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r := c.start(t, "a", func(config *multihost.Config) {
		client := config.Client.(*fake.Clientset)
		client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if len(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun) == 0 {
				once.Do(func() { close(writing) })
				<-goOn
			}
			return false, nil, nil
		})
		config.Client = twoClients{Clientset: client, leases: c.client()}
		config.CheckInterval = time.Hour
	})
	c.g.Eventually(writing, patience).Should(BeClosed())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		r.stop()
	}()
	c.g.Consistently(c.holder, "500ms", "10ms").Should(Equal("a"), "the lease was released during a write")
	c.g.Expect(stopped).NotTo(BeClosed())
	close(goOn)
	c.g.Eventually(stopped, patience).Should(BeClosed())
	c.g.Expect(c.holder()).To(BeEmpty(), "the lease was not released")
}

func TestMisuse(t *testing.T) {
	four, err := topology.Load("4x4")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	config := multihost.Config{DriverName: driver, Topology: four, Namespace: "drivers", Identity: "a", ReadinessAddress: "127.0.0.1:0", Client: fakeapi.New(nil).Client}
	for _, test := range []struct {
		change  func(*multihost.Config)
		message string
	}{
		{func(c *multihost.Config) { c.DriverName = "" }, "driver name, namespace and identity must not be empty"},
		{func(c *multihost.Config) { c.Namespace = "" }, "driver name, namespace and identity must not be empty"},
		{func(c *multihost.Config) { c.Identity = "" }, "driver name, namespace and identity must not be empty"},
		{func(c *multihost.Config) { c.ReadinessAddress = "nowhere" }, "listen for readiness requests"},
		{func(c *multihost.Config) { c.LeaseDuration = time.Millisecond }, "lease duration 1ms: must be at least 1 second"},
	} {
		changed := config
		test.change(&changed)
		NewWithT(t).Expect(multihost.Run(t.Context(), changed)).To(MatchError(ContainSubstring(test.message)))
	}
}
