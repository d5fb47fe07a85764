// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// snapshot has the objects of a resource as of a number of changes. The components look
// at all of them before each request, mostly in vain, so that copies for each of them
// would take most of the time of a run.
type snapshot struct {
	changes int
	objects any // slice of pointers, sorted by namespace and name
	uids    map[types.NamespacedName]types.UID
}

// object is a pointer to an API object of type T.
type object[T any] interface {
	*T
	metav1.Object
	runtime.Object
}

// shared returns all objects of a kind in all namespaces, sorted by namespace and name.
// Callers must not modify the list or the objects.
func shared[T any, P object[T]](c *Cluster, resource schema.GroupVersionResource, kind string) ([]P, error) {
	changes := c.tracker.countOf(resource)
	if s, ok := c.snapshots[resource]; ok && s.changes == changes {
		return s.objects.([]P), nil
	}
	list, err := c.tracker.List(resource, resource.GroupVersion().WithKind(kind), "")
	if err != nil {
		return nil, err
	}
	var all []P
	uids := map[types.NamespacedName]types.UID{}
	err = meta.EachListItem(list, func(o runtime.Object) error {
		all = append(all, o.(P))
		uids[key(o.(P))] = o.(P).GetUID()
		return nil
	})
	slices.SortFunc(all, func(a, b P) int { return strings.Compare(key(a).String(), key(b).String()) })
	c.snapshots[resource] = snapshot{changes, all, uids}
	return all, err
}

// listOf returns copies of all objects of a kind in all namespaces, sorted by
// namespace and name.
func listOf[T any, P object[T]](c *Cluster, resource schema.GroupVersionResource, kind string) ([]P, error) {
	of, err := shared[T, P](c, resource, kind)
	all := make([]P, len(of))
	for i, o := range of {
		all[i] = o.DeepCopyObject().(P)
	}
	return all, err
}

// sharedPods returns all pods. Callers must not modify the list or the pods.
func (c *Cluster) sharedPods() ([]*corev1.Pod, error) { return shared[corev1.Pod](c, pods, "Pod") }

// sharedClaims returns all claims. Callers must not modify the list or the claims.
func (c *Cluster) sharedClaims() ([]*resourceapi.ResourceClaim, error) {
	return shared[resourceapi.ResourceClaim](c, claims, "ResourceClaim")
}

// uidOfClaim returns the UID of a claim, and whether the claim exists.
func (c *Cluster) uidOfClaim(name types.NamespacedName) (uid types.UID, exists bool) {
	if _, err := c.sharedClaims(); err != nil {
		return "", false
	}
	uid, exists = c.snapshots[claims].uids[name]
	return uid, exists
}
