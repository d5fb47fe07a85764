// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	plugin "github.com/draconform/draconform/allocator/scheduler"
)

// profileText is a configuration that enables our plugin explicitly.
const profileText = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      disabled: [{name: DynamicResources}]
      enabled: [{name: DraconformResources, weight: 2}]
    postFilter:
      enabled: [{name: DraconformResources}, {name: DefaultPreemption}]
`

// running is a scheduler that runs in this process.
type running struct {
	stop func()
}

// faults injects faults into the scheduler's requests.
type faults struct {
	// intercept returns the response in place of the API server's, or nil to forward
	// the request.
	intercept func(*http.Request) *http.Response
	next      http.RoundTripper
}

func (f *faults) RoundTrip(r *http.Request) (*http.Response, error) {
	if response := f.intercept(r); response != nil {
		if response.StatusCode == 0 {
			return nil, context.Canceled
		}
		return response, nil
	}
	return f.next.RoundTrip(r)
}

// startScheduler runs a scheduler until the test ends or stop is called.
func (c *cluster) startScheduler(intercept func(*http.Request) *http.Response) *running {
	c.t.Helper()
	config := rest.CopyConfig(admin)
	config.QPS, config.Burst = 1000, 1000
	if intercept != nil {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &faults{intercept, next} })
	}
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithCancel(context.Background())
	informers := scheduler.NewInformerFactory(client, 0, nil)
	dynamicInformers := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	sched, err := scheduler.New(ctx, client, informers, dynamicInformers, profile.NewRecorderFactory(broadcaster),
		scheduler.WithKubeConfig(config),
		scheduler.WithProfiles(profiles(c.t)...),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{plugin.Name: c.newChecked}),
		scheduler.WithPodMaxBackoffSeconds(1),
	)
	c.Expect(err).NotTo(HaveOccurred())
	informers.Start(ctx.Done())
	dynamicInformers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	c.Expect(sched.WaitForHandlersSync(ctx)).To(Succeed())
	done := make(chan struct{})
	go func() {
		defer close(done)
		sched.Run(ctx)
	}()
	var stopped atomic.Bool
	r := &running{stop: func() {
		if stopped.Swap(true) {
			return
		}
		cancel()
		<-done
		broadcaster.Shutdown()
	}}
	c.t.Cleanup(r.stop)
	return r
}

func profiles(t *testing.T) []kubeschedulerconfig.KubeSchedulerProfile {
	t.Helper()
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(profileText), nil, nil)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	config := object.(*kubeschedulerconfig.KubeSchedulerConfiguration)
	g.Expect(config.Profiles[0].SchedulerName).To(Equal(corev1.DefaultSchedulerName))
	return config.Profiles
}
