// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

func TestMain(m *testing.M) {
	metrics.Register()
	// Each check starts two worlds. The flag can be raised on the command line.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// draPlugin is the set of interfaces that both plugins implement.
type draPlugin interface {
	fwk.PreEnqueuePlugin
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.PostFilterPlugin
	fwk.ScorePlugin
	fwk.ReservePlugin
	fwk.PreBindPlugin
	fwk.EnqueueExtensions
}

// world is a plugin in a real framework with a real SharedDRAManager and a fake API server.
type world struct {
	*WithT
	ctx      context.Context
	client   *fake.Clientset
	manager  *dynamicresources.DefaultDRAManager
	handle   framework.Framework
	features feature.Features
	factory  informers.SharedInformerFactory
	nodes    []fwk.NodeInfo
	plugin   draPlugin
	checked  bool // Compare the ledger with the manager's state after every step. Off in benchmarks.
}

// ours returns the plugin under test, for tests of its internals.
func (w *world) ours() *Plugin { return w.plugin.(*Plugin) }

func defaultFeatures() feature.Features {
	return feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
}

type makePlugin func(w *world) (draPlugin, error)

func makeOurs(w *world) (draPlugin, error) {
	p, err := newPlugin(w.ctx, nil, w.handle, w.features)
	if err == nil {
		p.explainTime = time.Minute // Tests must not depend on the speed of the machine.
	}
	return p, err
}

// newWorld starts our plugin with default features.
func newWorld(t *testing.T, objects ...runtime.Object) *world {
	t.Helper()
	return newWorldWith(t, defaultFeatures(), makeOurs, objects...)
}

func newWorldWith(t testing.TB, features feature.Features, newPlugin makePlugin, objects ...runtime.Object) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &world{WithT: NewWithT(t), ctx: klog.NewContext(ctx, klog.Logger{}), client: fake.NewSimpleClientset(), features: features, checked: true}
	w.SetDefaultEventuallyTimeout(time.Minute) // Caches follow late on a busy machine.
	w.client.PrependReactor("*", "*", (&versions{}).react(w.client.Tracker()))
	w.factory = informers.NewSharedInformerFactory(w.client, 0)
	w.startManager(newPlugin)
	t.Cleanup(func() {
		cancel()
		w.factory.Shutdown()
		frameworkruntime.WaitForShutdown(w.handle)
	})
	for _, object := range objects {
		w.create(object)
	}
	return w
}

// startManager sets up the manager like scheduler.New.
func (w *world) startManager(newPlugin makePlugin) {
	resources := w.factory.Resource().V1()
	tracker, err := resourceslicetracker.StartTracker(w.ctx, resourceslicetracker.Options{
		EnableDeviceTaintRules: true,
		SliceInformer:          resources.ResourceSlices(),
		TaintInformer:          resources.DeviceTaintRules(),
		KubeClient:             w.client,
	})
	w.Expect(err).NotTo(HaveOccurred())
	claims := assumecache.NewAssumeCache(klog.Logger{}, resources.ResourceClaims().Informer(), "claim", "", nil)
	w.manager = dynamicresources.NewDRAManager(w.ctx, claims, tracker, w.factory)
	// It is nil without extended resources, which were added in 1.35.
	if classes := w.manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache); classes != nil {
		_, err = resources.DeviceClasses().Informer().AddEventHandler(classes)
		w.Expect(err).NotTo(HaveOccurred())
	}
	w.handle, err = frameworkruntime.NewFramework(w.ctx, nil, nil,
		frameworkruntime.WithClientSet(w.client),
		frameworkruntime.WithInformerFactory(w.factory),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithSharedDRAManager(w.manager),
	)
	w.Expect(err).NotTo(HaveOccurred())
	w.plugin, err = newPlugin(w)
	w.Expect(err).NotTo(HaveOccurred())
	w.factory.Start(w.ctx.Done())
	w.factory.WaitForCacheSync(w.ctx.Done())
	w.Expect(cache.WaitForCacheSync(w.ctx.Done(), tracker.HasSynced)).To(BeTrue())
}

// create stores an object and waits until the plugin can see it.
func (w *world) create(object runtime.Object) {
	var err error
	switch o := object.(type) {
	case *corev1.Node:
		info := framework.NewNodeInfo()
		info.SetNode(o)
		w.nodes = append(w.nodes, info)
	case *corev1.Pod:
		_, err = w.client.CoreV1().Pods(o.Namespace).Create(w.ctx, o, metav1.CreateOptions{})
	case *resourceapi.ResourceClaim:
		_, err = w.client.ResourceV1().ResourceClaims(o.Namespace).Create(w.ctx, o, metav1.CreateOptions{})
		w.Eventually(func() error { _, err := w.manager.ResourceClaims().Get(o.Namespace, o.Name); return err }).Should(Succeed())
	case *resourceapi.DeviceClass:
		_, err = w.client.ResourceV1().DeviceClasses().Create(w.ctx, o, metav1.CreateOptions{})
		w.Eventually(func() error { _, err := w.manager.DeviceClasses().Get(o.Name); return err }).Should(Succeed())
		if name := o.Spec.ExtendedResourceName; name != nil {
			w.Eventually(func() any { return w.manager.DeviceClassResolver().GetDeviceClass(corev1.ResourceName(*name)) }).ShouldNot(BeNil())
		}
	case *resourceapi.ResourceSlice:
		_, err = w.client.ResourceV1().ResourceSlices().Create(w.ctx, o, metav1.CreateOptions{})
		w.Eventually(func() string {
			slices, err := w.manager.ResourceSlices().ListWithDeviceTaintRules()
			w.Expect(err).NotTo(HaveOccurred())
			var names []string
			for _, s := range slices {
				names = append(names, s.Name)
			}
			return strings.Join(names, " ")
		}).Should(ContainSubstring(o.Name))
	default:
		w.Expect(object).To(BeNil(), "a kind that the test cannot create")
	}
	w.Expect(err).NotTo(HaveOccurred())
	w.checkLedger()
}
