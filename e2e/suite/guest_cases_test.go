// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// guestCases has the runs of guests, by name.
var guestCases = map[string]suiterun.Case{
	"guest that loses the API server":             losesAPIServer(0),
	"guest that loses the API server for a while": losesAPIServer(3 * time.Second),
	"guest whose namespace has no quota left": {
		Guest: &guest.Config{Namespace: "team", Given: true}, Cluster: fakecluster.Options{Objects: team()},
		Change: func(ctx context.Context, c *suite.Options) context.Context {
			shortWaits(c)
			c.Specs = []suite.Spec{spec("rejected", "p", func(ctx context.Context, e *env.Env) {
				useUpQuota(ctx, e)
				runs(ctx, e)
			})}
			return ctx
		},
	},
	"guest in a namespace of its own": {Guest: own, Change: inOneNamespace("draconform-own")},
	"guest in a given namespace": {
		Guest: &guest.Config{Namespace: "team", Given: true}, Cluster: fakecluster.Options{Objects: team()}, Change: inOneNamespace("team"),
	},
	"guest whose devices are in use": {
		Guest: own, Cluster: fakecluster.Options{Objects: fakecluster.AllocatedClaim("greedy", "mig.example.com", "gpu-0")},
		Change: func(ctx context.Context, c *suite.Options) context.Context {
			shortWaits(c)
			c.Specs = []suite.Spec{spec("first", "p", runs), spec("second", "p", runs)}
			return ctx
		},
	},
	"guest whose devices are seized": {Guest: own, Change: func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		c.FailFast = true
		c.Specs = []suite.Spec{
			spec("seized", "p", func(ctx context.Context, e *env.Env) {
				seize(ctx, e)
				runs(ctx, e)
			}),
			spec("fails", "p", fails),
		}
		return ctx
	}},
	"guest whose failure is another": {Guest: own, Change: func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		c.Specs = []suite.Spec{spec("fails", "p", func(ctx context.Context, e *env.Env) {
			start(ctx, e)
			pods.WaitForRunning(ctx, e, "one")
			seize(ctx, e)
			pods.CreateWithRequests(ctx, e, "two", []devices.Request{{Name: "whole", Device: e.Subject.Partitions.Whole}})
			gomega.Expect(2).To(gomega.Equal(1), "pod one should have two devices")
		})}
		return ctx
	}},
	"guest that leaks": {Guest: own, Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStops: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		whole := func(ctx context.Context, e *env.Env) {
			pods.CreateWithRequests(ctx, e, "one", []devices.Request{{Name: "whole", Device: e.Subject.Partitions.Whole}})
			pods.WaitForRunning(ctx, e, "one")
		}
		c.Specs = []suite.Spec{spec("leaks", "p", whole), spec("suffers", "p", whole)}
		return ctx
	}},
	"guest that leaks in a given namespace": {
		Guest:   &guest.Config{Namespace: "team", Given: true},
		Cluster: fakecluster.Options{Objects: team(), Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStops: true})},
		Change: func(ctx context.Context, c *suite.Options) context.Context {
			shortWaits(c)
			c.Specs = []suite.Spec{spec("leaks", "p", runs), spec("not-run", "p", runs)}
			return ctx
		},
	},
	"guest whose node is cordoned": {Guest: own, Change: func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		c.Specs = []suite.Spec{spec("cordoned", "p", func(ctx context.Context, e *env.Env) {
			node, err := e.Client.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			node.Spec.Unschedulable = true
			_, err = e.Client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			runs(ctx, e)
		})}
		return ctx
	}},
	"guest whose pod is evicted": {Guest: own, Change: disrupted(func(ctx context.Context, e *env.Env) {
		gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, "one", metav1.DeleteOptions{})).To(gomega.Succeed())
	})},
	"guest whose pod is evicted because of its device": {Guest: own, Change: disrupted(func(ctx context.Context, e *env.Env) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "one", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = e.Client.CoreV1().Events(e.Namespace).Create(ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: "one.evicted"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "one", UID: pod.UID}, Reason: "DeviceTaintManagerEviction", Message: "Marking for deletion",
		}, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, "one", metav1.DeleteOptions{})).To(gomega.Succeed())
	})},
	"guest whose node is gone": {Guest: own, Change: disrupted(func(ctx context.Context, e *env.Env) {
		gomega.Expect(e.Client.CoreV1().Nodes().Delete(ctx, "node-1", metav1.DeleteOptions{})).To(gomega.Succeed())
		gomega.Expect("").NotTo(gomega.BeEmpty(), "container workload of pod one should see a device")
	})},
	"guest that is interrupted": {Guest: own, Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStarts: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		c.Specs = []suite.Spec{spec("during", "p", func(ctx context.Context, e *env.Env) {
			start(ctx, e)
			time.AfterFunc(300*time.Millisecond, cancel)
			pods.WaitForRunning(ctx, e, "one")
		})}
		return ctx
	}},
}

// disrupted runs a spec with a pod that runs until others do something.
func disrupted(by func(context.Context, *env.Env)) func(context.Context, *suite.Options) context.Context {
	return func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		c.Specs = []suite.Spec{spec("disrupted", "p", func(ctx context.Context, e *env.Env) {
			runs(ctx, e)
			by(ctx, e)
			pods.WaitForDeleted(ctx, e, "one")
			pods.WaitForRunning(ctx, e, "one")
		})}
		return ctx
	}
}

// team is a namespace that exists before the run, with a pod and a claim of
// others that have the names that specs use.
func team() []runtime.Object {
	of := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "team"} }
	return []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}},
		&corev1.ServiceAccount{ObjectMeta: of("default")},
		&corev1.Pod{ObjectMeta: of("theirs"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}},
		&resourceapi.ResourceClaim{ObjectMeta: of("theirs")},
		&resourceapi.ResourceClaimTemplate{ObjectMeta: of("theirs")},
	}
}

// inOneNamespace runs specs that create objects with the same names.
func inOneNamespace(want string) func(context.Context, *suite.Options) context.Context {
	return func(ctx context.Context, c *suite.Options) context.Context {
		body := func(ctx context.Context, e *env.Env) {
			start(ctx, e)
			pods.WaitForRunning(ctx, e, "one")
			claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: e.Subject.Partitions.Small}}))
			pods.CreateFromClaimTemplate(ctx, e, "generated", "template", "")
			pods.WaitForRunning(ctx, e, "generated")
			gomega.Expect(e.Namespace).To(gomega.Equal(want))
			scheduled, _ := pods.WaitForScheduledCount(ctx, e, 2)
			gomega.Expect(scheduled).To(gomega.ConsistOf("generated", "one"), "pods of others do not count")
		}
		c.Specs = []suite.Spec{spec("first", "p", body), spec("second", "p", body)}
		return ctx
	}
}

func runs(ctx context.Context, e *env.Env) {
	start(ctx, e)
	pods.WaitForRunning(ctx, e, "one")
}

// waitForDevices is how long specs wait for devices that are in use.
const waitForDevices = 2 * time.Second

func shortWaits(c *suite.Options) {
	c.Timeouts.PodStart, c.Timeouts.Unschedulable, c.Timeouts.Response, c.Timeouts.Deletion = waitForDevices, 2*time.Second, 2*time.Second, 2*time.Second
}

var own = &guest.Config{Namespace: "draconform-own"}

// seize allocates a whole GPU to a claim of others until the end of the spec.
func seize(ctx context.Context, e *env.Env) {
	ginkgo.By("allocating the GPU to a claim of others")
	const namespace = "elsewhere"
	_, err := e.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	user, err := e.Client.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "greedy"}, Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "app"}}},
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	claim := fakecluster.AllocatedClaim("greedy", "mig.example.com", "gpu-0")[0].(*resourceapi.ResourceClaim)
	claim.Status.ReservedFor[0].UID = user.UID
	status, claims := claim.Status, e.Client.ResourceV1().ResourceClaims(namespace)
	claim, err = claims.Create(ctx, claim, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	claim.Status = status
	_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.Cleanups = append(e.Cleanups, func(ctx context.Context) error {
		return errors.Join(e.Client.CoreV1().Pods(namespace).Delete(ctx, "greedy", metav1.DeleteOptions{}),
			e.Client.ResourceV1().ResourceClaims(namespace).Delete(ctx, "greedy", metav1.DeleteOptions{}),
			e.Client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	})
}

// losesAPIServer returns a run whose API server cannot be reached from the middle
// of its second spec on. It can be again after a while, or, without a limit, when
// that spec has ended.
func losesAPIServer(while time.Duration) suiterun.Case {
	var away atomic.Bool
	return suiterun.Case{Guest: own, Cluster: fakecluster.Options{Unreachable: away.Load}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		shortWaits(c)
		c.Timeouts.Response = 6 * time.Second
		during := func(ctx context.Context, e *env.Env) {
			away.Store(true)
			if while > 0 {
				time.AfterFunc(while, func() { away.Store(false) })
			}
			runs(ctx, e)
		}
		c.Specs = []suite.Spec{spec("before", "p", runs), spec("during", "p", during), spec("after", "p", runs)}
		finished := c.Finished
		c.Finished = func(r suite.Result, n, total int) {
			if finished(r, n, total); r.Spec.ID == "during" {
				away.Store(false)
			}
		}
		return ctx
	}}
}

// useUpQuota creates a quota of the namespace that has no room for a device.
func useUpQuota(ctx context.Context, e *env.Env) {
	none := corev1.ResourceList{"mig.example.com.deviceclass.resource.k8s.io/devices": resource.MustParse("0")}
	_, err := e.Client.CoreV1().ResourceQuotas(e.Namespace).Create(ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
