// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/publish"
)

const (
	driver = "mig.example.com"
	node   = "node-1"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []fakeapi.Option
		want    publish.Form
	}{
		{"1.35 and later", nil, publish.SeparateCounters},
		{"1.34", []fakeapi.Option{fakeapi.Kubernetes134}, publish.CountersWithDevices},
		{"1.35 without the feature", []fakeapi.Option{fakeapi.CountersOff}, publish.NoCounters},
		{"1.34 without the feature", []fakeapi.Option{fakeapi.Kubernetes134, fakeapi.CountersOff}, publish.NoCounters},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			server := fakeapi.New(nil, test.options...)
			client := server.Client.ResourceV1().ResourceSlices()
			form, err := publish.Detect(t.Context(), client, driver, node, inventory(t, 2))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(form).To(Equal(publish.Offer{Form: test.want}))

			list, err := client.List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(list.Items).To(BeEmpty(), "a dry run creates no slices")
		})
	}
}

func TestDetectReportsAnUnreachableAPIServer(t *testing.T) {
	g := NewWithT(t)
	server := fakeapi.New(nil)
	server.Client.PrependReactor("create", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	_, err := publish.Detect(t.Context(), server.Client.ResourceV1().ResourceSlices(), driver, node, inventory(t, 1))
	g.Expect(err).To(MatchError(And(ContainSubstring("probe which ResourceSlices"), ContainSubstring("connection refused"))))
}

// cluster is an API server with a publisher that uses the library's
// ResourceSlice controller.
type cluster struct {
	g         *WithT
	server    *fakeapi.Server
	publisher *publish.Publisher
}

func start(t *testing.T, options ...fakeapi.Option) *cluster {
	return startWith(t, inventory(t, 1), options...)
}

func startWith(t *testing.T, inventory *describe.Inventory, options ...fakeapi.Option) *cluster {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := &cluster{g: g, server: fakeapi.New(nil, options...)}
	var controller *resourceslice.Controller
	c.publisher = publish.NewPublisher(publish.Config{
		CheckInterval: 20 * time.Millisecond,
		Driver:        driver,
		Node:          node,
		Inventory:     inventory,
		Client:        c.server.Client,
		Publish: func(_ context.Context, resources resourceslice.DriverResources) (err error) {
			if controller != nil {
				controller.Update(&resources)
				return nil
			}
			controller, err = resourceslice.StartController(ctx, resourceslice.Options{
				DriverName: driver,
				KubeClient: c.server.Client,
				Owner:      &resourceslice.Owner{APIVersion: "v1", Kind: "Node", Name: node, UID: "1"},
				Resources:  &resources,
				ErrorHandler: func(_ context.Context, err error, _ string) {
					if dropped, ok := errors.AsType[*resourceslice.DroppedFieldsError](err); ok {
						c.publisher.Dropped(dropped)
					}
				},
			})
			return err
		},
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.publisher.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		controller.Stop()
	})
	return c
}

// stored returns the slices of the node in the API server.
func (c *cluster) stored(g Gomega) []resourceapi.ResourceSlice {
	list, err := c.server.Client.ResourceV1().ResourceSlices().List(context.Background(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	return list.Items
}

func (c *cluster) eventuallyHas(slices, counterSets, devices int) {
	c.g.Eventually(func(g Gomega) {
		var gotSets, gotDevices int
		stored := c.stored(g)
		for _, slice := range stored {
			gotSets += len(slice.Spec.SharedCounters)
			gotDevices += len(slice.Spec.Devices)
		}
		g.Expect([]int{len(stored), gotSets, gotDevices}).To(Equal([]int{slices, counterSets, devices}), "slices, counter sets, devices")
		g.Expect(c.publisher.Err()).NotTo(HaveOccurred())
	}, "1m", "50ms").Should(Succeed())
}

func TestPublish(t *testing.T) {
	for _, test := range []struct {
		name                         string
		options                      []fakeapi.Option
		slices, counterSets, devices int
	}{
		{"1.35 and later", nil, 2, 1, 26},
		{"1.34", []fakeapi.Option{fakeapi.Kubernetes134}, 1, 1, 26},
		{"without the feature", []fakeapi.Option{fakeapi.CountersOff}, 1, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			start(t, test.options...).eventuallyHas(test.slices, test.counterSets, test.devices)
		})
	}
}

func TestOverlappingPartitionsAreNeverPublishedWithoutCounters(t *testing.T) {
	t.Parallel()
	c := start(t, fakeapi.CountersOff)
	c.eventuallyHas(1, 0, 1)
	for _, action := range c.server.Client.Actions() {
		create, ok := action.(clienttesting.CreateActionImpl)
		if !ok || len(create.CreateOptions.DryRun) > 0 {
			continue
		}
		slice := create.GetObject().(*resourceapi.ResourceSlice)
		c.g.Expect(slice.Spec.Devices).To(HaveLen(1), "a slice was created with more than the whole GPU")
	}
}

func TestDroppedCountersLeaveOnlyTheWholeGPU(t *testing.T) {
	t.Parallel()
	c := start(t, fakeapi.CountersOnlyInDryRun)
	c.eventuallyHas(1, 0, 1)
	c.g.Expect(c.stored(c.g)[0].Spec.Devices[0].Name).To(Equal("gpu-0"))
	c.g.Consistently(func(g Gomega) {
		for _, slice := range c.stored(g) {
			g.Expect(slice.Spec.Devices).To(HaveLen(1))
		}
	}, "500ms", "10ms").Should(Succeed(), "partitions are published again after contradicting dry runs")

	// First all API servers lack the feature, then all have it.
	c.server.Change(fakeapi.CountersOff)
	dryRuns := len(c.server.Client.Actions())
	c.g.Eventually(func() int { return len(c.server.Client.Actions()) }, "1m", "10ms").Should(BeNumerically(">", dryRuns+10))
	c.server.Change(fakeapi.CountersOn)
	c.eventuallyHas(2, 1, 26)
}

func TestPublisherFollowsTheCluster(t *testing.T) {
	t.Parallel()
	c := start(t, fakeapi.Kubernetes134)
	c.eventuallyHas(1, 1, 26)
	c.server.Change(fakeapi.Kubernetes135)
	c.eventuallyHas(2, 1, 26)
	c.server.Change(fakeapi.CountersOff)
	c.eventuallyHas(1, 0, 1)
	c.server.Change(fakeapi.CountersOn)
	c.eventuallyHas(2, 1, 26)
}
