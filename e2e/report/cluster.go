// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Describe returns the components and DRA gates of a cluster, and the number of
// its worker nodes. Worker nodes are those that a pod without tolerations can
// run on.
func Describe(ctx context.Context, client kubernetes.Interface) (Cluster, error) {
	var c Cluster
	server, err := client.Discovery().ServerVersion()
	if err != nil {
		return c, fmt.Errorf("get the version of the API server: %w", err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return c, fmt.Errorf("list nodes: %w", err)
	}
	counts := map[Component]int{{Name: "kube-apiserver", Version: server.GitVersion}: 1}
	for _, n := range nodes.Items {
		if env.Schedulable(&n) {
			c.Workers++
		}
		counts[Component{Name: "kubelet", Version: n.Status.NodeInfo.KubeletVersion}]++
		counts[Component{Name: "container runtime", Version: n.Status.NodeInfo.ContainerRuntimeVersion}]++
		counts[Component{Name: "kernel", Version: n.Status.NodeInfo.KernelVersion}]++
	}
	if err := controlPlane(ctx, client, counts); err != nil {
		return c, err
	}
	for component, n := range counts {
		component.Count = n
		c.Components = append(c.Components, component)
	}
	slices.SortFunc(c.Components, func(a, b Component) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	c.Gates = Gates(ctx, client)
	return c, nil
}

// controlPlane counts the control plane components that run as static pods of
// kubeadm. The releases of components that run elsewhere are not visible.
func controlPlane(ctx context.Context, client kubernetes.Interface, counts map[Component]int) error {
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "tier=control-plane"})
	if apierrors.IsForbidden(err) {
		return nil // Components that the caller may not list are left out.
	}
	if err != nil {
		return fmt.Errorf("list the pods of the control plane: %w", err)
	}
	for _, pod := range pods.Items {
		name := pod.Labels["component"]
		if name == "" || name == "kube-apiserver" || len(pod.Spec.Containers) == 0 {
			continue
		}
		c := pod.Spec.Containers[0]
		tagged, _, _ := strings.Cut(c.Image, "@") // A digest may follow the tag.
		if i := strings.LastIndexByte(tagged, ':'); i >= 0 {
			counts[Component{Name: name, Version: tagged[i+1:], Image: c.Image, Emulates: emulated(c)}]++
		}
	}
	return nil
}

// emulated returns the emulation version from a component's flags.
func emulated(c corev1.Container) string {
	for _, arg := range append(slices.Clone(c.Command), c.Args...) {
		if release, ok := strings.CutPrefix(arg, "--emulated-version="); ok {
			return release
		}
	}
	return ""
}

var gateMetric = regexp.MustCompile(`^kubernetes_feature_enabled\{name="(DRA\w*|DynamicResourceAllocation|ResourceHealthStatus\w*)",stage="[A-Z]*"\} ([01])$`)

// Gates reads the feature gates of DRA and of the health of devices from the API
// server's metrics. It returns none if reading them is forbidden.
func Gates(ctx context.Context, client kubernetes.Interface) map[string]bool {
	rest := client.Discovery().RESTClient()
	if rest == nil {
		return nil
	}
	metrics, err := rest.Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(metrics))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := gateMetric.FindStringSubmatch(lines.Text()); m != nil {
			found[m[1]] = m[2] == "1"
		}
	}
	return found
}
