// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
)

func TestMain(m *testing.M) {
	suiterun.Main(m, func(name string) (suiterun.Case, bool) {
		for _, all := range []map[string]suiterun.Case{cases, guestCases, journeyCases, retryCases} {
			if c, ok := all[name]; ok {
				return c, true
			}
		}
		if upgrade, ok := strings.CutPrefix(name, "upgrade that "); ok {
			return upgradeCase(upgrade), true
		}
		return suiterun.Case{}, false
	})
}

// cases has the runs that the tests start in child processes, by name, except for those
// of guests and journeys, and those in which something is tried again.
var cases = map[string]suiterun.Case{
	// The tests compare when these specs begin and end.
	"outcomes": {RealTime: true, Change: func(ctx context.Context, c *suite.Options) context.Context {
		unsupported, big := spec("unsupported", "first", passes), spec("big", "second", passes)
		unsupported.Features = []features.Feature{"missing-feature"}
		big.MinNodes = 2
		c.Specs = []suite.Spec{
			spec("z-passes", "second", passes), spec("fails", "first", fails), unsupported, spec("panics", "second", panics), big,
			spec("excluded", "third", passes), spec("a-passes", "first", passes),
		}
		c.Selection.Labels = "!third"
		return ctx
	}},
	"without labels": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Labels = []suite.Spec{spec("passes", "p", func(context.Context, *env.Env) {})}, nil
		return ctx
	}},
	"fail-fast": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = []suite.Spec{spec("passes", "p", passes), spec("fails", "p", fails), spec("never", "p", passes)}
		c.FailFast = true
		return ctx
	}},
	"left to others": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		unsupported := spec("unsupported", "p", passes)
		unsupported.Features = []features.Feature{"missing-feature"}
		c.Specs = []suite.Spec{spec("first", "p", passes), spec("other", "p", fails), unsupported, spec("last", "p", passes)}
		c.Takes = func(s suite.Spec) bool { return s.ID != "other" }
		return ctx
	}},
	"provisional": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		news, panicking := spec("news", "p", fails), spec("panicking-news", "p", panics)
		news.Level, panicking.Level = suite.Provisional, suite.Provisional
		c.Specs = []suite.Spec{news, panicking, spec("passes", "p", passes)}
		c.FailFast = true
		return ctx
	}},
	"interrupted": {Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStarts: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		c.Specs = []suite.Spec{
			spec("before", "p", func(context.Context, *env.Env) {}),
			spec("during", "p", func(ctx context.Context, e *env.Env) {
				start(ctx, e)
				time.AfterFunc(300*time.Millisecond, cancel)
				pods.WaitForRunning(ctx, e, "one")
			}),
			spec("after", "p", passes),
		}
		return ctx
	}},
	// The signal arrives from outside of the run.
	"signalled": {RealTime: true, Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStarts: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = []suite.Spec{
			spec("during", "p", func(ctx context.Context, e *env.Env) {
				start(ctx, e)
				gomega.Expect(syscall.Kill(os.Getpid(), syscall.SIGINT)).To(gomega.Succeed())
				pods.WaitForRunning(ctx, e, "one")
			}),
			spec("after", "p", passes),
		}
		return ctx
	}},
	"timeout": {Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStarts: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.SpecTimeout = []suite.Spec{spec("slow", "p", passes)}, 500*time.Millisecond
		return ctx
	}},
	"waits": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = []suite.Spec{spec("waits", "p", func(ctx context.Context, e *env.Env) {
			env.ExpectStableFor(ctx, e, 40*time.Second, func(context.Context) (error, error) { return nil, nil })
		})}
		return ctx
	}},
	"starting pod": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		var periods []int64
		c.Client.(clienttesting.FakeClient).PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
			periods = append(periods, ptr.Deref(a.(clienttesting.DeleteActionImpl).DeleteOptions.GracePeriodSeconds, -1))
			return false, nil, nil
		})
		c.Specs = []suite.Spec{spec("deletes", "p", func(ctx context.Context, e *env.Env) {
			start(ctx, e)
			pods.DeleteStarting(ctx, e, "one")
			gomega.Expect(periods).To(gomega.Equal([]int64{1}))
			gomega.Expect(pods.CheckDeleted(ctx, e, []string{"one"})).To(gomega.Succeed())
		})}
		return ctx
	}},
	"namespace stays": {Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{KeepsNamespaces: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Timeouts.Deletion = []suite.Spec{spec("passes", "p", passes)}, time.Second
		return ctx
	}},
	"namespace stays in a temporary cluster": {Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{KeepsNamespaces: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Temporary, c.Timeouts.Deletion = []suite.Spec{spec("passes", "p", passes)}, true, time.Second
		return ctx
	}},
	"namespace is not deleted": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Temporary, c.OnlySimulatedNodes = true, "there are simulated nodes only"
		// The cluster has kubelets, so that it removes the pods.
		c.Specs = []suite.Spec{spec("leaves-pods", "p", leavesPods), spec("finds-nothing", "p", findsNothing)}
		for i := range c.Specs {
			c.Specs[i].Kinds, c.Specs[i].MinNodes, c.Specs[i].Needs = nil, 0, []env.Need{env.NeedsSimulatedNodes}
		}
		return ctx
	}},
	"pod stays": {Cluster: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStops: true})}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Timeouts.Deletion = []suite.Spec{spec("passes", "p", passes)}, time.Second
		return ctx
	}},
	"no folder": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs, c.Dir = []suite.Spec{spec("passes", "p", passes)}, c.Dir+"/missing"
		return ctx
	}},
}

func spec(id, profile string, body func(context.Context, *env.Env)) suite.Spec {
	return suite.Spec{
		ID: id, Description: "It behaves as specified.", Profile: profile, Component: env.Driver,
		Features: []features.Feature{features.Core}, Kinds: []subject.Kind{subject.KindPartition}, MinNodes: 1, Body: body,
	}
}

func start(ctx context.Context, e *env.Env) {
	pods.CreateWithRequests(ctx, e, "one", []devices.Request{{Name: "partition", Device: e.Subject.Partitions.Small}})
}

// passes checks that a pod runs, and that all objects have the labels of the
// run.
func passes(ctx context.Context, e *env.Env) {
	start(ctx, e)
	pods.WaitForRunning(ctx, e, "one")
	namespace, err := e.Client.CoreV1().Namespaces().Get(ctx, e.Namespace, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(namespace.Labels).To(gomega.Equal(map[string]string{"draconform.dev/run": "test", "pod-security.kubernetes.io/enforce": "restricted"}))
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "one", metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(pod.Labels).To(gomega.HaveKeyWithValue("draconform.dev/run", "test"))
	gomega.Expect(pod.Spec.Containers[0].Image).To(gomega.Equal("workload.example.com/workload:test"))
	claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, "one", metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(claim.Labels).To(gomega.HaveKeyWithValue("draconform.dev/run", "test"))
}

// leavesPods leaves a pod and a claim without the labels of the run in each of two
// namespaces.
func leavesPods(ctx context.Context, e *env.Env) {
	left := metav1.ObjectMeta{Name: "left"}
	for _, in := range []*env.Env{e, namespaces.CreateOther(ctx, e)} {
		_, err := e.Client.CoreV1().Pods(in.Namespace).Create(ctx, &corev1.Pod{ObjectMeta: left, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = e.Client.ResourceV1().ResourceClaims(in.Namespace).Create(ctx, &resourceapi.ResourceClaim{ObjectMeta: left}, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// findsNothing expects no pods and claims in the cluster.
func findsNothing(ctx context.Context, e *env.Env) {
	found, err := e.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(found.Items).To(gomega.BeEmpty())
	claims, err := e.Client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(claims.Items).To(gomega.BeEmpty())
}

func fails(ctx context.Context, e *env.Env) {
	start(ctx, e)
	pods.WaitForRunning(ctx, e, "one")
	ginkgo.By("comparing numbers")
	gomega.Expect(2).To(gomega.Equal(1), "the numbers should be equal")
}

func panics(ctx context.Context, e *env.Env) {
	start(ctx, e)
	panic("test panic")
}
