// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
)

// As returns a client of the cluster that acts as a kubelet or a service account. Of the
// requests of a service account, the API server authorizes only updates and patches of the
// status of claims, by the roles in their namespace, as with the feature gate
// DRAResourceClaimGranularStatusAuthorization.
func (c *Cluster) As(name string, groups []string, extra map[string][]string) kubernetes.Interface {
	if node, isNode := strings.CutPrefix(name, "system:node:"); isNode && slices.Contains(groups, "system:nodes") {
		return nodeClient{client{c.clientset, c}, node}
	}
	return userClient{client{c.clientset, c}, user{name, extra}}
}

type user struct {
	name  string
	extra map[string][]string
}

type userClient struct {
	client
	user user
}

func (u userClient) ResourceV1() typedresourcev1.ResourceV1Interface {
	return userResources{u.client.ResourceV1(), u}
}

type userResources struct {
	typedresourcev1.ResourceV1Interface
	client userClient
}

func (u userResources) ResourceClaims(namespace string) typedresourcev1.ResourceClaimInterface {
	return userClaims{u.ResourceV1Interface.ResourceClaims(namespace), u.client, namespace}
}

type userClaims struct {
	typedresourcev1.ResourceClaimInterface
	client    userClient
	namespace string
}

// UpdateStatus updates the status of a claim if the user may change what differs.
func (u userClaims) UpdateStatus(ctx context.Context, claim *resourceapi.ResourceClaim, options metav1.UpdateOptions) (*resourceapi.ResourceClaim, error) {
	if why := u.client.cluster.refused(u.client.user, "update", u.namespace, claim); why != "" {
		return nil, u.forbidden(claim.Name, why)
	}
	return u.ResourceClaimInterface.UpdateStatus(ctx, claim, options)
}

// Patch replaces the status of the devices of a claim if the patch has any, and if the
// user may change what differs. It supports no other patches.
func (u userClaims) Patch(ctx context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*resourceapi.ResourceClaim, error) {
	claim, err := u.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var patch resourceapi.ResourceClaim
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	if len(patch.Status.Devices) > 0 {
		claim.Status.Devices = patch.Status.Devices
	}
	if why := u.client.cluster.refused(u.client.user, "patch", u.namespace, claim); why != "" {
		return nil, u.forbidden(name, why)
	}
	return u.ResourceClaimInterface.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
}

func (u userClaims) forbidden(claim, why string) error {
	return apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), claim, fmt.Errorf("user %s %s", u.client.user.name, why))
}

// refused states why a user must not change the status of a claim to a new one by a
// verb.
func (c *Cluster) refused(by user, verb, namespace string, claim *resourceapi.ResourceClaim) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := c.claim(types.NamespacedName{Namespace: namespace, Name: claim.Name})
	if err != nil {
		return err.Error()
	}
	w := &StatusWrite{
		Verb: verb, Drivers: changedDrivers(old, claim), Entries: entriesOf(old, claim),
		Rules: c.rulesOf(by.name, namespace), ClusterRules: c.clusterRulesOf(by.name),
		OnNode:    slices.Contains(by.extra["authentication.kubernetes.io/node-name"], nodeOfAllocation(claim)),
		Allocates: !equality.Semantic.DeepEqual(old.Status.Allocation, claim.Status.Allocation) || !equality.Semantic.DeepEqual(old.Status.ReservedFor, claim.Status.ReservedFor),
	}
	if c.Mistakes.Misauthorizes != nil {
		c.Mistakes.Misauthorizes(w)
	}
	return w.refused()
}

// StatusWrite is a change of the status of a claim that a user wants to make.
type StatusWrite struct {
	// Verb is the verb of the request: update or patch.
	Verb string
	// Drivers are the drivers of the entries of status.devices that differ, and Entries
	// are those of all entries. Both are sorted.
	Drivers, Entries []string
	// Allocates is set if the allocation or the consumers differ.
	Allocates bool
	// OnNode is set if the user acts on the only node of the allocation.
	OnNode bool
	// Rules are the rights of the user in the namespace of the claim, and ClusterRules
	// are those in all namespaces.
	Rules, ClusterRules []rbacv1.PolicyRule
}

func (w *StatusWrite) refused() string {
	may := func(verb, resource, name string) bool {
		return allow(w.Rules, verb, resource, name) || allow(w.ClusterRules, verb, resource, name)
	}
	switch {
	case !may(w.Verb, "resourceclaims/status", ""):
		return "may not " + w.Verb + " resourceclaims/status"
	case w.Allocates && !allow(w.ClusterRules, w.Verb, "resourceclaims/binding", ""): // The right is one for all namespaces.
		return "may not " + w.Verb + " resourceclaims/binding"
	}
	for _, driver := range w.Drivers {
		if !may("arbitrary-node:"+w.Verb, "resourceclaims/driver", driver) && (!w.OnNode || !may("associated-node:"+w.Verb, "resourceclaims/driver", driver)) {
			return "may not " + w.Verb + " resourceclaims/driver of " + driver
		}
	}
	return ""
}

// changedDrivers returns the drivers whose entries in status.devices differ.
func changedDrivers(old, claim *resourceapi.ResourceClaim) []string {
	var drivers []string
	lacks := func(all []resourceapi.AllocatedDeviceStatus, one resourceapi.AllocatedDeviceStatus) bool {
		return !slices.ContainsFunc(all, func(other resourceapi.AllocatedDeviceStatus) bool { return equality.Semantic.DeepEqual(one, other) })
	}
	for _, one := range claim.Status.Devices {
		if lacks(old.Status.Devices, one) {
			drivers = append(drivers, one.Driver)
		}
	}
	for _, one := range old.Status.Devices {
		if lacks(claim.Status.Devices, one) {
			drivers = append(drivers, one.Driver)
		}
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// entriesOf returns the drivers with entries in status.devices before or after a change.
func entriesOf(old, claim *resourceapi.ResourceClaim) []string {
	var drivers []string
	for _, one := range slices.Concat(old.Status.Devices, claim.Status.Devices) {
		drivers = append(drivers, one.Driver)
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// nodeOfAllocation returns the only node of an allocation. It is empty if there
// are others.
func nodeOfAllocation(claim *resourceapi.ResourceClaim) string {
	if claim.Status.Allocation == nil || claim.Status.Allocation.NodeSelector == nil {
		return ""
	}
	fields := claim.Status.Allocation.NodeSelector.NodeSelectorTerms[0].MatchFields
	if len(fields) != 1 {
		return ""
	}
	return fields[0].Values[0]
}
