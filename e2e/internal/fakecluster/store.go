package fakecluster

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// listOf returns all objects of a kind in all namespaces, sorted by namespace
// and name.
func listOf[T any, P interface {
	*T
	metav1.Object
	runtime.Object
}](c *Cluster, resource schema.GroupVersionResource, kind string) ([]P, error) {
	list, err := c.clientset.Tracker().List(resource, resource.GroupVersion().WithKind(kind), "")
	if err != nil {
		return nil, err
	}
	var all []P
	err = meta.EachListItem(list, func(o runtime.Object) error {
		all = append(all, o.DeepCopyObject().(P))
		return nil
	})
	slices.SortFunc(all, func(a, b P) int { return strings.Compare(key(a).String(), key(b).String()) })
	return all, err
}

func (c *Cluster) pods() ([]*corev1.Pod, error) { return listOf[corev1.Pod](c, pods, "Pod") }

func (c *Cluster) claims() ([]*resourceapi.ResourceClaim, error) {
	return listOf[resourceapi.ResourceClaim](c, claims, "ResourceClaim")
}

func (c *Cluster) slices() ([]*resourceapi.ResourceSlice, error) {
	return listOf[resourceapi.ResourceSlice](c, slicesOf, "ResourceSlice")
}

// classes returns the DeviceClasses by name.
func (c *Cluster) classes() (map[string]*resourceapi.DeviceClass, error) {
	all, err := listOf[resourceapi.DeviceClass](c, classesOf, "DeviceClass")
	classes := map[string]*resourceapi.DeviceClass{}
	for _, class := range all {
		classes[class.Name] = class
	}
	return classes, err
}

func key(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func (c *Cluster) update(resource schema.GroupVersionResource, o metav1.Object) error {
	if resource == claims {
		c.changes++
	}
	return c.clientset.Tracker().Update(resource, o.(runtime.Object), o.GetNamespace())
}

func (c *Cluster) remove(resource schema.GroupVersionResource, o metav1.Object) error {
	if resource == claims || resource == pods {
		c.changes++
	}
	for what := range c.since {
		if strings.HasSuffix(what, " "+key(o).String()) {
			delete(c.since, what) // a later object of this name starts anew
		}
	}
	return c.clientset.Tracker().Delete(resource, o.GetNamespace(), o.GetName())
}

// claimOf returns the claim of a pod. Every pod that runs has exactly one.
func (c *Cluster) claimOf(pod *corev1.Pod) (*resourceapi.ResourceClaim, error) {
	var names []string
	for name := range resourceclaim.PodClaims(pod) {
		names = append(names, name)
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("pod %s should use one claim", pod.Name)
	}
	return c.claim(types.NamespacedName{Namespace: pod.Namespace, Name: names[0]})
}

func (c *Cluster) claim(name types.NamespacedName) (*resourceapi.ResourceClaim, error) {
	o, err := c.clientset.Tracker().Get(claims, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	return o.(*resourceapi.ResourceClaim).DeepCopy(), nil
}

// tell creates a warning event about a pod unless one with this reason exists.
func (c *Cluster) tell(pod *corev1.Pod, reason, message string) error {
	name := pod.Name + "." + strings.ToLower(reason)
	if _, err := c.clientset.Tracker().Get(events, pod.Namespace, name); err == nil {
		return nil
	}
	return c.clientset.Tracker().Create(events, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: pod.Namespace},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.Now(),
	}, pod.Namespace)
}
