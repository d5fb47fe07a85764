// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	authorizationapi "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

const gpuFile = `apiVersion: draconform.dev/v1alpha1
kind: Driver
name: gpu.example.com
roles:
  exclusive:
    device: {class: gpu}
`

// describe writes a driver file.
func describe(t *testing.T, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gpu.yaml")
	NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}

// gpuCluster returns the objects of a cluster that suits gpuFile.
func gpuCluster() (*corev1.Node, *resourceapi.DeviceClass, *resourceapi.ResourceSlice) {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "worker", Labels: map[string]string{corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`}}},
	}}
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "worker-gpu"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "gpu.example.com", NodeName: ptr.To("worker"), Pool: resourceapi.ResourcePool{Name: "worker", ResourceSliceCount: 1},
	}}
	for _, name := range []string{"a", "b", "c", "d"} {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: name})
	}
	return node, class, slice
}

// Before a run creates anything, it finds what would fail specs for another reason
// than the driver.
func TestPreflightOfARun(t *testing.T) {
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "small"}, Status: corev1.ResourceQuotaStatus{
		Hard: corev1.ResourceList{"pods": resource.MustParse("3")},
	}}
	for name, test := range map[string]struct {
		change func(*corev1.Node, *resourceapi.DeviceClass, *resourceapi.ResourceSlice)
		client func(*fake.Clientset)
		want   string // a part of the error, or empty
	}{
		"right": {nil, nil, ""},
		"an absent driver": {func(_ *corev1.Node, _ *resourceapi.DeviceClass, s *resourceapi.ResourceSlice) {
			s.Spec.Driver = "other"
		}, nil, "gpu.yaml, line 3: name: the driver publishes nothing, the cluster only has ResourceSlices of other"},
		"no devices": {func(_ *corev1.Node, _ *resourceapi.DeviceClass, s *resourceapi.ResourceSlice) { s.Spec.Devices = nil }, nil, "gpu.yaml, line 3: name: the driver publishes no devices: look at the logs of its pods"},
		"an invalid pool": {func(_ *corev1.Node, _ *resourceapi.DeviceClass, s *resourceapi.ResourceSlice) {
			s.Spec.Pool.ResourceSliceCount = 2
		}, nil, ""},
		"no class": {func(_ *corev1.Node, c *resourceapi.DeviceClass, _ *resourceapi.ResourceSlice) { c.Name = "gpus" }, nil, "problem: gpu.yaml, line 6: roles.exclusive.device: DeviceClass gpu does not exist: create it, use inlineClass, or use one that selects devices of the driver: gpus"},
		"a class of others": {func(_ *corev1.Node, c *resourceapi.DeviceClass, _ *resourceapi.ResourceSlice) {
			c.Spec.Selectors[0].CEL.Expression = "false"
		}, nil, "select none of the 4 devices of the driver"},
		"a class of all drivers": {func(_ *corev1.Node, c *resourceapi.DeviceClass, _ *resourceapi.ResourceSlice) {
			c.Spec.Selectors[0].CEL.Expression = "true"
		}, func(c *fake.Clientset) {
			_, _, others := gpuCluster()
			others.Name, others.Spec.Driver = "others", "other.example.com"
			_ = c.Tracker().Add(others)
		}, `also select devices of other drivers, such as worker/a of other.example.com: add the selector device.driver == "gpu.example.com"`},
		"a cordoned node": {func(n *corev1.Node, _ *resourceapi.DeviceClass, _ *resourceapi.ResourceSlice) {
			n.Spec.Unschedulable = true
		}, nil, "pods cannot run on any node with these devices: worker: it is cordoned."},
		"quota": {nil, func(c *fake.Clientset) { _ = c.Tracker().Add(quota) }, "problem: gpu.example.com: ResourceQuota small of namespace team has 3 left of pods"},
		"pod security": {nil, func(c *fake.Clientset) {
			c.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(corev1.Resource("pods"), "try", errors.New(`violates PodSecurity "restricted:latest"`))
			})
		}, "change pods.securityContext of the driver file"},
		"missing rights": {nil, func(c *fake.Clientset) { allow(c, "create pods") }, `problem: gpu.example.com: not allowed to create pods in namespace team, which a run needs to create pods that use devices, make the kubelet sync them, and delete them: ask for the rights that "draconform rbac" prints`},
		"no rights at all": {nil, func(c *fake.Clientset) {
			c.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, "", errors.New("no rights"))
			})
		}, "cannot list ResourceSlices, so that nothing about devices was checked"},
		"a lost API server": {nil, func(c *fake.Clientset) {
			c.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, errors.New("connection refused")
			})
		}, `list Nodes: connection refused: the API server has to answer while the driver files are compared with the cluster, check it with "kubectl get --raw /readyz" and run again`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			node, class, slice := gpuCluster()
			if test.change != nil {
				test.change(node, class, slice)
			}
			client := fake.NewClientset(node, class, slice, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}})
			allow(client, "")
			if test.client != nil {
				test.client(client)
			}
			drivers, err := driverfile.Decode("gpu.yaml", []byte(gpuFile))
			g.Expect(err).NotTo(HaveOccurred())
			var out bytes.Buffer
			r := &runner{plan: &plan{Config: Config{Namespace: "team", Progress: progress.New(&out)}, described: drivers}, client: client}
			err = r.preflight(t.Context(), nil)
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(out.String()).To(ContainSubstring("not given: specs that restart the driver cannot run"), "warnings are printed")
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			}
			for _, action := range client.Actions() {
				if created, ok := action.(clienttesting.CreateActionImpl); ok && action.GetResource().Resource != "selfsubjectaccessreviews" {
					g.Expect(created.CreateOptions.DryRun).To(ConsistOf("All"), "nothing is created")
				} else if !ok {
					g.Expect(action.GetVerb()).To(BeElementOf("get", "list"))
				}
			}
		})
	}
}

// allow lets a client do all but one thing, such as "create pods".
func allow(client *fake.Clientset, not string) {
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationapi.SelfSubjectAccessReview).DeepCopy()
		review.Status.Allowed = true
		if a := review.Spec.ResourceAttributes; a != nil && a.Verb+" "+a.Resource == not && a.Subresource == "" {
			review.Status.Allowed = false
		}
		return true, review, nil
	})
}

// The report states why there are no results.
func TestRunThatDoesNotStart(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"an absent driver": {func(*Config) {}, "the run has not started: the cluster does not suit the driver files:\n"},
		"no such context":  {func(c *Config) { c.Context = "missing" }, "the run has not started: "},
		"no namespace":     {func(c *Config) { c.Namespace = "missing" }, "problem: gpu.example.com: namespace missing does not exist: create it, or leave out --namespace so that a run creates one"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			kubeconfig, written := apiServer(t)
			config := Config{Drivers: []string{describe(t, gpuFile)}, Kubeconfig: kubeconfig, Dir: t.TempDir()}
			test.change(&config)
			got, err := Run(t.Context(), config, specs.All())
			g.Expect(err).To(MatchError(ErrNotStarted))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(*written).To(BeEmpty(), "nothing is created")
			g.Expect(got.Verdict.Result).To(Equal(report.Incomplete))
			g.Expect(filepath.Join(config.Dir, got.Run.ID, "report.yaml")).To(BeARegularFile())
		})
	}
}

// An interrupt says nothing about the cluster.
func TestInterruptedPreflight(t *testing.T) {
	g := NewWithT(t)
	kubeconfig, _ := apiServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, Config{Drivers: []string{describe(t, gpuFile)}, Kubeconfig: kubeconfig, Dir: t.TempDir()}, specs.All())
	g.Expect(err).To(HaveOccurred())
	g.Expect(err).NotTo(MatchError(ErrNotStarted))
}
