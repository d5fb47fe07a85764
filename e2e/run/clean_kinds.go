// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// object identifies an object.
type object struct {
	types.NamespacedName
	// uid is empty if an object of the same name may be deleted as well.
	uid types.UID
}

// onlyThis returns options that delete no other object of the same name.
func (o object) onlyThis() metav1.DeleteOptions {
	if o.uid == "" {
		return metav1.DeleteOptions{}
	}
	return metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(o.uid))}
}

// objectKind is a kind of objects that runs create.
type objectKind struct {
	what string
	// first is set if the objects are removed even if their namespace is.
	first  bool
	list   func(context.Context, metav1.ListOptions) ([]object, error)
	delete func(context.Context, object) error
}

// deleter is the common part of the typed clients.
type deleter interface {
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// kindOf returns a kind by typed clients. in returns that for a namespace.
func kindOf[L runtime.Object](what string, list func(context.Context, metav1.ListOptions) (L, error), in func(namespace string) deleter) objectKind {
	return objectKind{
		what: what,
		list: func(ctx context.Context, o metav1.ListOptions) ([]object, error) {
			found, err := list(ctx, o)
			if err != nil {
				return nil, err
			}
			var all []object
			err = meta.EachListItem(found, func(item runtime.Object) error {
				accessor, err := meta.Accessor(item)
				if err == nil {
					all = append(all, object{types.NamespacedName{Namespace: accessor.GetNamespace(), Name: accessor.GetName()}, accessor.GetUID()})
				}
				return err
			})
			return all, err
		},
		delete: func(ctx context.Context, o object) error { return in(o.Namespace).Delete(ctx, o.Name, o.onlyThis()) },
	}
}

// namespacedKinds returns the kinds of objects in a namespace, or in all, in the
// order of removal. Runs in pods of Jobs are terminated first, because they remove
// objects themselves, with the rights of roles that are removed here. Those and
// their accounts are in namespaces that are not the Job's own.
func namespacedKinds(client kubernetes.Interface, namespace string) []objectKind {
	core, rbac, batch := client.CoreV1(), client.RbacV1(), client.BatchV1()
	jobs := kindOf("job", batch.Jobs(namespace).List, func(in string) deleter { return batch.Jobs(in) })
	jobs.first = true
	jobs.delete = func(ctx context.Context, o object) error { return terminate(ctx, client, o) }
	all := []objectKind{
		jobs,
		kindOf("config map", core.ConfigMaps(namespace).List, func(in string) deleter { return core.ConfigMaps(in) }),
		kindOf("service account", core.ServiceAccounts(namespace).List, func(in string) deleter { return core.ServiceAccounts(in) }),
		kindOf("role binding", rbac.RoleBindings(namespace).List, func(in string) deleter { return rbac.RoleBindings(in) }),
		kindOf("role", rbac.Roles(namespace).List, func(in string) deleter { return rbac.Roles(in) }),
	}
	for _, kind := range namespaces.Kinds(client, namespace) {
		all = append(all, ofSpecs(kind))
	}
	return all
}

// ofSpecs converts a kind of objects that specs create.
func ofSpecs(kind namespaces.Kind) objectKind {
	return objectKind{
		what: kind.Name,
		list: func(ctx context.Context, o metav1.ListOptions) (all []object, err error) {
			names, err := kind.List(ctx, o)
			for _, name := range names {
				all = append(all, object{NamespacedName: name})
			}
			return all, err
		},
		delete: func(ctx context.Context, o object) error { return kind.Delete(ctx, o.NamespacedName, o.onlyThis()) },
	}
}

// namespaceKind returns the kind of namespaces.
func namespaceKind(client kubernetes.Interface) objectKind {
	return kindOf("namespace", client.CoreV1().Namespaces().List, func(string) deleter { return client.CoreV1().Namespaces() })
}

// taintRuleKind returns the kind of DeviceTaintRules, in the version of the API
// in which the cluster serves them, if it does.
func taintRuleKind(client kubernetes.Interface) objectKind {
	return objectKind{
		what: "device taint rule",
		list: func(ctx context.Context, o metav1.ListOptions) ([]object, error) {
			found, err := taintrules.List(ctx, client, o)
			if err != nil {
				return nil, err
			}
			var all []object
			for _, rule := range found.Items {
				all = append(all, object{types.NamespacedName{Name: rule.Name}, rule.UID})
			}
			return all, nil
		},
		delete: func(ctx context.Context, o object) error {
			return taintrules.Delete(ctx, client, o.Name, o.onlyThis())
		},
	}
}

// poolStatusKind returns the kind of ResourcePoolStatusRequests. A cluster that
// does not serve them has none.
func poolStatusKind(client kubernetes.Interface) objectKind {
	requests := client.ResourceV1alpha3().ResourcePoolStatusRequests()
	kind := kindOf("pool status request", requests.List, func(string) deleter { return requests })
	list := kind.list
	kind.list = func(ctx context.Context, o metav1.ListOptions) ([]object, error) {
		all, err := list(ctx, o)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return all, err
	}
	return kind
}

// clusterKinds returns the kinds of cluster-scoped objects, in the order of
// removal. The driver's pods are removed with their namespace before the objects
// that they depend on.
func clusterKinds(client kubernetes.Interface) []objectKind {
	rbac, admission, classes := client.RbacV1(), client.AdmissionregistrationV1(), client.ResourceV1().DeviceClasses()
	priorities := client.SchedulingV1().PriorityClasses()
	bindings, policies := admission.ValidatingAdmissionPolicyBindings(), admission.ValidatingAdmissionPolicies()
	return []objectKind{
		namespaceKind(client),
		kindOf("validating admission policy binding", bindings.List, func(string) deleter { return bindings }),
		kindOf("validating admission policy", policies.List, func(string) deleter { return policies }),
		kindOf("cluster role binding", rbac.ClusterRoleBindings().List, func(string) deleter { return rbac.ClusterRoleBindings() }),
		kindOf("cluster role", rbac.ClusterRoles().List, func(string) deleter { return rbac.ClusterRoles() }),
		kindOf("device class", classes.List, func(string) deleter { return classes }),
		kindOf("priority class", priorities.List, func(string) deleter { return priorities }),
		taintRuleKind(client),
		poolStatusKind(client),
	}
}
