// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
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

var (
	rolesOf    = rbacv1.SchemeGroupVersion.WithResource("roles")
	bindingsOf = rbacv1.SchemeGroupVersion.WithResource("rolebindings")
)

// As returns a client of the cluster that acts as a service account. The API
// server authorizes only updates of the status of claims, by the roles in their
// namespace, as with the feature gate DRAResourceClaimGranularStatusAuthorization.
func (c *Cluster) As(name string, extra map[string][]string) kubernetes.Interface {
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
	if why := u.client.cluster.refused(u.client.user, u.namespace, claim); why != "" {
		return nil, apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), claim.Name, fmt.Errorf("user %s %s", u.client.user.name, why))
	}
	return u.ResourceClaimInterface.UpdateStatus(ctx, claim, options)
}

// refused states why a user must not change the status of a claim to a new one.
func (c *Cluster) refused(by user, namespace string, claim *resourceapi.ResourceClaim) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := c.claim(types.NamespacedName{Namespace: namespace, Name: claim.Name})
	if err != nil {
		return err.Error()
	}
	w := &StatusWrite{
		Drivers: changedDrivers(old, claim), Rules: c.rulesOf(by.name, namespace),
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
	// Drivers are the drivers of the entries of status.devices that differ.
	Drivers []string
	// Allocates is set if the allocation or the consumers differ.
	Allocates bool
	// OnNode is set if the user acts on the only node of the allocation.
	OnNode bool
	// Rules are the rights of the user in the namespace of the claim.
	Rules []rbacv1.PolicyRule
}

func (w *StatusWrite) refused() string {
	switch {
	case !w.may("update", "resourceclaims/status", ""):
		return "may not update resourceclaims/status"
	case w.Allocates:
		return "may not update resourceclaims/binding" // The right is one for all namespaces.
	}
	for _, driver := range w.Drivers {
		if !w.may("arbitrary-node:update", "resourceclaims/driver", driver) && (!w.OnNode || !w.may("associated-node:update", "resourceclaims/driver", driver)) {
			return "may not update resourceclaims/driver of " + driver
		}
	}
	return ""
}

func (w *StatusWrite) may(verb, resource, name string) bool {
	return slices.ContainsFunc(w.Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Verbs, verb) && slices.Contains(r.Resources, resource) && (len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, name))
	})
}

// rulesOf returns the rules of the roles that are bound to a service account.
func (c *Cluster) rulesOf(name, namespace string) []rbacv1.PolicyRule {
	bindings, err := shared[rbacv1.RoleBinding](c, bindingsOf, "RoleBinding")
	if err != nil {
		return nil
	}
	var rules []rbacv1.PolicyRule
	for _, binding := range bindings {
		isBound := slices.ContainsFunc(binding.Subjects, func(s rbacv1.Subject) bool { return strings.HasSuffix(name, ":"+s.Namespace+":"+s.Name) })
		if binding.Namespace != namespace || !isBound {
			continue
		}
		if o, err := c.tracker.Get(rolesOf, namespace, binding.RoleRef.Name); err == nil {
			rules = append(rules, o.(*rbacv1.Role).Rules...)
		}
	}
	return rules
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
	return drivers
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
