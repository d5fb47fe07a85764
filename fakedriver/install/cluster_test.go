// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/install"
)

var options = install.Options{RunID: "run-1", Namespace: "drivers", DriverName: "mig-2.example.com", Image: "example.com/fakedriver:1"}

// newCluster returns a cluster whose DaemonSets have the given number of
// desired pods. The status of DaemonSets and Deployments reports all pods as
// ready. The test creates the pods.
func newCluster(nodes int, objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("get", "daemonsets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object, err := stored(client, action)
		if err != nil {
			return true, nil, err
		}
		set, count := object.(*appsv1.DaemonSet), int32(nodes)
		set.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: count, UpdatedNumberScheduled: count, NumberReady: count}
		return true, set, nil
	})
	client.PrependReactor("get", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object, err := stored(client, action)
		if err != nil {
			return true, nil, err
		}
		deployment := object.(*appsv1.Deployment)
		deployment.Status = appsv1.DeploymentStatus{UpdatedReplicas: *deployment.Spec.Replicas, ReadyReplicas: *deployment.Spec.Replicas}
		return true, deployment, nil
	})
	client.PrependReactor("list", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		selector := action.(clienttesting.ListAction).GetListRestrictions().Fields
		all, err := client.Tracker().List(action.GetResource(), resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
		if err != nil {
			return true, nil, err
		}
		selected := &resourceapi.ResourceSliceList{}
		for _, slice := range all.(*resourceapi.ResourceSliceList).Items {
			if selector.Matches(fields.Set{resourceapi.ResourceSliceSelectorDriver: slice.Spec.Driver}) {
				selected.Items = append(selected.Items, slice)
			}
		}
		return true, selected, nil
	})
	return client
}

func stored(client *fake.Clientset, action clienttesting.Action) (runtime.Object, error) {
	get := action.(clienttesting.GetAction)
	object, err := client.Tracker().Get(get.GetResource(), get.GetNamespace(), get.GetName())
	if err != nil {
		return nil, err
	}
	return object.DeepCopyObject(), nil
}

// pod returns the driver's pod on a node.
func pod(node string, ready corev1.ConditionStatus) *corev1.Pod {
	return podOf(options, "node", node, ready)
}

func podOf(o install.Options, component, node string, ready corev1.ConditionStatus) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Namespace,
			Name:      o.DriverName + "-" + component + "-on-" + node,
			Labels: map[string]string{
				install.RunLabel: o.RunID, install.DriverLabel: o.DriverName, "app.kubernetes.io/component": component,
			},
		},
		Spec: corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{
			Phase:             corev1.PodRunning,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, Message: "probe says no"}},
			ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}},
		},
	}
}

// crashing changes a pod to be in CrashLoopBackOff.
func crashing(pod *corev1.Pod) *corev1.Pod {
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"},
	}
	return pod
}

// slice returns a ResourceSlice of a pool.
func slice(name, driver, pool string, generation, count int64) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   driver,
			Pool:     resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count},
			NodeName: &pool, // A node's pool has its name.
		},
	}
}

// aMinute returns a context that ends after a minute. In a [synctest] bubble
// that only waits, it ends immediately.
func aMinute(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// kinds are all kinds of an installation except pods.
var kinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "ServiceAccount"},
	{Version: "v1", Kind: "Secret"},
	{Version: "v1", Kind: "ConfigMap"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicyBinding"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
	{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
	{Group: "apps", Version: "v1", Kind: "DaemonSet"},
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "resource.k8s.io", Version: "v1", Kind: "DeviceClass"},
	{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceSlice"},
}

// objects returns all objects in a cluster except pods, by "Kind
// namespace/name".
func objects(g *WithT, client *fake.Clientset) map[string]metav1.Object {
	out := map[string]metav1.Object{}
	for _, kind := range kinds {
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		list, err := client.Tracker().List(resource, kind, "")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(meta.EachListItem(list, func(object runtime.Object) error {
			accessor, err := meta.Accessor(object)
			out[kind.Kind+" "+accessor.GetNamespace()+"/"+accessor.GetName()] = accessor
			return err
		})).To(Succeed())
	}
	return out
}

func names(g *WithT, client *fake.Clientset) []string {
	var out []string
	for name := range objects(g, client) {
		out = append(out, name)
	}
	return out
}

// get returns an object that must exist.
func get[T metav1.Object](g *WithT, client *fake.Clientset, name string) T {
	object, ok := objects(g, client)[name].(T)
	g.Expect(ok).To(BeTrue(), "%s does not exist", name)
	return object
}
