// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// typedClient is the common interface of the typed clients for all kinds in the
// manifests.
type typedClient[T metav1.Object] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// remote accesses one object in the cluster.
type remote struct {
	get    func(context.Context) (metav1.Object, error)
	apply  func(context.Context, []byte, metav1.PatchOptions) error
	delete func(context.Context, metav1.DeleteOptions) error
}

func remoteOf[T metav1.Object](client typedClient[T], name string) remote {
	return remote{
		get: func(ctx context.Context) (metav1.Object, error) {
			return client.Get(ctx, name, metav1.GetOptions{})
		},
		apply: func(ctx context.Context, data []byte, options metav1.PatchOptions) error {
			_, err := client.Patch(ctx, name, types.ApplyPatchType, data, options)
			return err
		},
		delete: func(ctx context.Context, options metav1.DeleteOptions) error {
			return client.Delete(ctx, name, options)
		},
	}
}

// find returns access to an object in the cluster, and the object's kind and
// name for errors.
func find(client kubernetes.Interface, object runtime.Object) (remote, string, error) {
	switch o := object.(type) {
	case *corev1.ServiceAccount:
		return remoteOf(client.CoreV1().ServiceAccounts(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *corev1.Secret:
		return remoteOf(client.CoreV1().Secrets(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *corev1.ConfigMap:
		return remoteOf(client.CoreV1().ConfigMaps(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *admissionv1.ValidatingAdmissionPolicy:
		return remoteOf(client.AdmissionregistrationV1().ValidatingAdmissionPolicies(), o.Name), kindAndName(o.Kind, o), nil
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		return remoteOf(client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings(), o.Name), kindAndName(o.Kind, o), nil
	case *rbacv1.ClusterRole:
		return remoteOf(client.RbacV1().ClusterRoles(), o.Name), kindAndName(o.Kind, o), nil
	case *rbacv1.ClusterRoleBinding:
		return remoteOf(client.RbacV1().ClusterRoleBindings(), o.Name), kindAndName(o.Kind, o), nil
	case *rbacv1.Role:
		return remoteOf(client.RbacV1().Roles(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *rbacv1.RoleBinding:
		return remoteOf(client.RbacV1().RoleBindings(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *coordinationv1.Lease:
		return remoteOf(client.CoordinationV1().Leases(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *appsv1.DaemonSet:
		return remoteOf(client.AppsV1().DaemonSets(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *appsv1.Deployment:
		return remoteOf(client.AppsV1().Deployments(o.Namespace), o.Name), kindAndName(o.Kind, o), nil
	case *resourceapi.DeviceClass:
		return remoteOf(client.ResourceV1().DeviceClasses(), o.Name), kindAndName(o.Kind, o), nil
	default:
		return remote{}, "", fmt.Errorf("there is no client for %T", object)
	}
}

func kindAndName(kind string, object metav1.Object) string {
	return kind + " " + object.GetName()
}

// applied returns the encoding of an object for server-side apply.
func applied(object runtime.Object) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("convert %T: %w", object, err)
	}
	// The API types always encode a status. The installation does not own it.
	delete(fields, "status")
	return json.Marshal(fields)
}
