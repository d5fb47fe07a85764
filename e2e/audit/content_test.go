// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/audit"
)

// slicesOf is a cluster with slices whose versions the test sets.
type slicesOf struct {
	*fake.Clientset
	// hidden, if set, gets the watch events in place of the watches.
	hidden *watch.FakeWatcher
	// lists counts the lists with content.
	lists atomic.Int32
}

func newSlicesOf(t *testing.T) *slicesOf {
	t.Helper()
	c := &slicesOf{Clientset: fake.NewClientset(), hidden: watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})}
	c.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		c.lists.Add(1)
		return false, nil, nil
	})
	return c
}

// put creates or updates a slice of a driver with one device.
func (c *slicesOf) put(t *testing.T, name, driver, version, offered string) *resourceapi.ResourceSlice {
	t.Helper()
	s := slice("n1", onNode("n1"), makeDevices(device(offered)), of(driver))
	s.Name, s.UID, s.ResourceVersion = name, types.UID(name), version
	if err := c.Tracker().Update(slicesResource, &s, ""); err != nil {
		NewWithT(t).Expect(c.Tracker().Add(&s)).To(Succeed())
	}
	return &s
}

var slicesResource = resourceapi.SchemeGroupVersion.WithResource("resourceslices")

// metadata returns a client that lists the slices without their content.
func (c *slicesOf) metadata() metadata.Interface {
	client := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
	client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		all, err := c.Tracker().List(slicesResource, resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
		if err != nil {
			return true, nil, err
		}
		list := &metav1.List{}
		for _, s := range all.(*resourceapi.ResourceSliceList).Items {
			list.Items = append(list.Items, runtime.RawExtension{Object: &metav1.PartialObjectMetadata{ObjectMeta: s.ObjectMeta}})
		}
		return true, list, nil
	})
	return client
}

// follow returns a Follower after its watches have caught up.
func (c *slicesOf) follow(t *testing.T) *audit.Follower {
	t.Helper()
	f := following(t, c.Clientset, driver)
	f.Metadata = c.metadata()
	return f
}

// A view has the slices of all drivers, as they were when their metadata were listed.
func TestFollowerKnowsTheContentOfSlicesFromTheWatch(t *testing.T) {
	g := NewWithT(t)
	c := newSlicesOf(t)
	c.put(t, "one", driver, "1", "a")
	c.put(t, "other", "other.example.com", "2", "x")
	f := c.follow(t)
	before := c.lists.Load()
	g.Expect(devicesOf(read(t, f))).To(ConsistOf("a", "x"))
	c.put(t, "one", driver, "3", "b")
	c.put(t, "one", driver, "4", "c")
	c.put(t, "other", "other.example.com", "5", "y")
	v := read(t, f)
	g.Expect(devicesOf(v)).To(ConsistOf("c", "y"))
	g.Expect(v.Seamless).To(BeTrue())
	g.Expect(offeredIn(v.Offered)).To(ConsistOf(ConsistOf("b", "x")))
	g.Expect(c.Tracker().Delete(slicesResource, "", "other")).To(Succeed())
	v = read(t, f)
	g.Expect(devicesOf(v)).To(ConsistOf("c"))
	g.Expect(v.Offered).To(BeEmpty(), "only a slice of another driver changed")
	g.Expect(c.lists.Load()).To(Equal(before), "no list with content")
}

// A view waits for the watch, and does not show an older state.
func TestFollowerWaitsForTheContentOfSlices(t *testing.T) {
	g := NewWithT(t)
	c := newSlicesOf(t)
	c.PrependWatchReactor("resourceslices", func(clienttesting.Action) (bool, watch.Interface, error) { return true, c.hidden, nil })
	c.put(t, "one", driver, "1", "a")
	f := c.follow(t)
	before := c.lists.Load()
	changed := c.put(t, "one", driver, "2", "b")
	views := make(chan audit.View)
	go func() { views <- read(t, f) }()
	g.Consistently(views).WithTimeout(200 * time.Millisecond).ShouldNot(Receive())
	c.hidden.Modify(changed)
	g.Expect(devicesOf(<-views)).To(ConsistOf("b"))
	g.Expect(c.lists.Load()).To(Equal(before), "no list with content")
}

// Without the event of a change, a view lists the content.
func TestFollowerListsTheContentThatItDoesNotKnow(t *testing.T) {
	g := NewWithT(t)
	c := newSlicesOf(t)
	c.PrependWatchReactor("resourceslices", func(clienttesting.Action) (bool, watch.Interface, error) { return true, c.hidden, nil })
	c.put(t, "one", driver, "1", "a")
	f := c.follow(t)
	before := c.lists.Load()
	c.put(t, "one", driver, "2", "b")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v, err := f.Read(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(devicesOf(v)).To(ConsistOf("b"))
	g.Expect(v.Seamless).To(BeFalse())
	g.Expect(c.lists.Load()).To(Equal(before + 1))
}

// devicesOf returns the names of the devices in the slices of a view.
func devicesOf(v audit.View) []string {
	var names []string
	for _, s := range v.Slices {
		for _, d := range s.Spec.Devices {
			names = append(names, d.Name)
		}
	}
	return names
}

// A view that is read before the watches have begun is not one of their states. The
// first list of a watch fails here, so that it begins late.
func TestFollowerReadsAfterItsWatchesHaveBegun(t *testing.T) {
	// Views list nodes after classes.
	for resource, want := range map[string]int32{"resourceclaims": 3, "resourceslices": 3, "nodes": 2} {
		g := NewWithT(t)
		client := fake.NewClientset()
		var lists, before atomic.Int32
		client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			if lists.Add(1) == 1 {
				return true, nil, errors.New("connection refused")
			}
			return false, nil, nil
		})
		client.PrependReactor("list", "deviceclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
			before.Store(lists.Load())
			return false, nil, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		f := audit.Follow(ctx, client, nil)
		_, err := f.Read(ctx)
		cancel()
		f.Wait(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(before.Load()).To(Equal(want), "lists of %s: two of the watch, and one of the view", resource)
	}
}
