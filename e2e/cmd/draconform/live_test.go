// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
)

// liveFile has the objects of the cluster of most tests.
const liveFile = "testdata/live/cluster.yaml"

// liveCluster returns a client of the cluster in testdata/live with further objects.
func liveCluster(t *testing.T, more ...runtime.Object) *fake.Clientset {
	t.Helper()
	return clusterOf(t, liveFile, more...)
}

// clusterOf returns a client of a cluster with the objects in a file, and further ones.
func clusterOf(t *testing.T, file string, more ...runtime.Object) *fake.Clientset {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	objects := more
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		g.Expect(err).NotTo(HaveOccurred(), document)
		objects = append(objects, object)
	}
	client := fake.NewClientset(objects...)
	client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.37.2+vendor"}
	return client
}

// runLive runs a command in the cluster of a client. The namespace of its context is team.
func runLive(t *testing.T, client kubernetes.Interface, args ...string) (string, error) {
	t.Helper()
	connect := func(context.Context, string, string) (kubernetes.Interface, string, error) {
		return client, "team", nil
	}
	root := &cobra.Command{Use: "draconform", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(newExplain(connect), newPools(connect))
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

type podChange func(*corev1.Pod)

// podWith returns a pod of the namespace team that uses a claim, unless it is empty.
func podWith(claim string, changes ...podChange) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "pod-uid"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	if claim != "" {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "dev", ResourceClaimName: &claim}}
	}
	for _, apply := range changes {
		apply(pod)
	}
	return pod
}

func TestLiveErrors(t *testing.T) {
	forbidden := apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "", errors.New("no"))
	notServed := apierrors.NewGenericServerResponse(404, "list", resourceapi.Resource("resourceslices"), "", "the server could not find the requested resource", 0, true)
	for kind, test := range map[string]struct {
		err  error
		want string
	}{
		"resourceclaims": {forbidden, "list ResourceClaims: .*forbidden.*the rights to get and list"},
		"resourceslices": {notServed, "list ResourceSlices: the cluster does not serve resource.k8s.io/v1, which needs Kubernetes 1.34 or later"},
	} {
		for _, args := range [][]string{{"pools"}, {"explain", "pod", "p"}} {
			t.Run(fmt.Sprint(kind, args), func(t *testing.T) {
				client := liveCluster(t, podWith("any"))
				client.PrependReactor("list", kind, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
				_, err := runLive(t, client, args...)
				NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
			})
		}
	}
	_, err := runLive(t, liveCluster(t), "pools", "--gates", "none")
	NewWithT(t).Expect(errors.Is(err, errUsage)).To(BeTrue(), "%v", err)
}

// A release that draconform does not know is regarded as the newest one, and gates that cannot be read as the defaults.
func TestLiveNotes(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.99.0"}
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(And(ContainSubstring("note: Kubernetes v1.99.0 is not a release that draconform knows"), ContainSubstring("note: the API server's metrics may not be read")))
}

func TestLiveCompletions(t *testing.T) {
	for want, args := range map[string][]string{
		"p":               {"explain", "pod", ""},
		"worker-2":        {"explain", "pod", "--node", ""},
		"nic.example.com": {"pools", "--driver", ""},
		"worker-3":        {"pools", "--pool", ""},
		"worker-1":        {"pools", "--node", ""},
	} {
		out, err := runLive(t, liveCluster(t, podWith("any")), append([]string{cobra.ShellCompRequestCmd}, args...)...)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Split(out, "\n")).To(ContainElement(want), "%v", args)
	}
}
