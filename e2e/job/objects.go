// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"fmt"
	"path"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/engine"
)

// Names in the manifests.
const (
	manifestFile = "job.yaml"
	rightsFile   = "runner.yaml"
	// fakesRole is the ClusterRole of runs that install the fake drivers.
	fakesRole = "draconform-fakes"
	// nameLabel and its value are on all objects. Together with the label of
	// the run they identify the objects of a Job.
	nameLabel = "app.kubernetes.io/name"
	nameValue = "draconform-job"
)

// The containers of the pod, in their order in the manifest.
const (
	runContainer     = "run"
	resultsContainer = "results"
)

// driversDir is where the pod has the driver files.
const driversDir = "/etc/draconform/drivers"

// Objects returns the objects of a Job in the order in which they are created:
// the namespace unless it exists already, the ServiceAccount, its rights, the
// driver files, and the Job. An error is about the options.
func Objects(o Options) ([]runtime.Object, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return o.objects()
}

// objects returns the objects of complete options.
func (o Options) objects() ([]runtime.Object, error) {
	all, err := read(manifestFile)
	if err != nil {
		return nil, err
	}
	rights, err := o.rights()
	if err != nil {
		return nil, err
	}
	var out []runtime.Object
	for _, object := range all {
		if err := o.adapt(object); err != nil {
			return nil, err
		}
		switch typed := object.(type) {
		case *corev1.Namespace:
			if o.Namespace != "" {
				continue
			}
		case *rbacv1.ClusterRoleBinding:
			out = append(out, o.bind(typed, rights)...)
			continue
		}
		out = append(out, object)
	}
	return out, nil
}

// rights returns the ClusterRoles of the run.
func (o Options) rights() ([]*rbacv1.ClusterRole, error) {
	all, err := read(rightsFile)
	if err != nil {
		return nil, err
	}
	var roles []*rbacv1.ClusterRole
	for _, object := range all {
		role, ok := object.(*rbacv1.ClusterRole)
		if !ok {
			return nil, fmt.Errorf("manifest %s: has a %T, and only ClusterRoles are expected", rightsFile, object)
		}
		if role.Name == fakesRole && len(o.Drivers) > 0 {
			continue
		}
		roles = append(roles, role)
	}
	return roles, nil
}

// bind returns the roles, with the Job's name in place of the manifest's, and a
// binding like the given one for each.
func (o Options) bind(like *rbacv1.ClusterRoleBinding, roles []*rbacv1.ClusterRole) []runtime.Object {
	var out []runtime.Object
	for _, role := range roles {
		o.label(role)
		role.Name = o.Name
		if len(out) > 0 {
			role.Name += "-fakes"
		}
		binding := like.DeepCopy()
		binding.Name, binding.RoleRef.Name = role.Name, role.Name
		out = append(out, role, binding)
	}
	return out
}

// adapt applies the options to an object of the manifest.
func (o Options) adapt(object runtime.Object) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	o.label(accessor)
	accessor.SetName(o.Name)
	if accessor.GetNamespace() != "" {
		accessor.SetNamespace(o.namespace())
	}
	switch typed := object.(type) {
	case *rbacv1.ClusterRoleBinding:
		typed.Subjects[0].Name, typed.Subjects[0].Namespace = o.Name, o.namespace()
	case *corev1.ConfigMap:
		typed.Data = map[string]string{}
		for _, file := range o.Drivers {
			typed.Data[file.Name] = string(file.Content)
		}
	case *batchv1.Job:
		o.adaptJob(typed)
	}
	return nil
}

func (o Options) adaptJob(job *batchv1.Job) {
	job.Spec.ActiveDeadlineSeconds = ptr.To(int64((o.Deadline + time.Second - 1) / time.Second))
	o.label(&job.Spec.Template)
	pod := &job.Spec.Template.Spec
	pod.ServiceAccountName = o.Name
	pod.Tolerations = append(pod.Tolerations, o.Tolerations...)
	if o.Arch != "" {
		pod.NodeSelector[corev1.LabelArchStable] = o.Arch
	}
	for _, secret := range o.PullSecrets {
		pod.ImagePullSecrets = append(pod.ImagePullSecrets, corev1.LocalObjectReference{Name: secret})
	}
	for i := range pod.Volumes {
		if config := pod.Volumes[i].ConfigMap; config != nil {
			config.Name = o.Name
		}
	}
	for i := range pod.Containers {
		container := &pod.Containers[i]
		container.Image = o.Image
		switch container.Name {
		case runContainer:
			container.Args = append(container.Args, "--run-id="+o.RunID)
			for _, file := range o.Drivers {
				container.Args = append(container.Args, "--driver="+path.Join(driversDir, file.Name))
			}
			container.Args = append(container.Args, o.RunArgs...)
			container.Resources.Limits[corev1.ResourceMemory] = resource.MustParse(o.Memory)
		case resultsContainer:
			container.Args = append(container.Args, "--run-id="+o.RunID, "--hold="+o.Hold.String())
		}
	}
}

// namespace returns the namespace of the Job.
func (o Options) namespace() string { return cmp.Or(o.Namespace, o.Name) }

func (o Options) labels() map[string]string {
	return map[string]string{engine.RunLabel: o.RunID, nameLabel: nameValue}
}

// label adds the labels of the Job to an object.
func (o Options) label(object metav1.Object) {
	all := object.GetLabels()
	if all == nil {
		all = map[string]string{}
	}
	for name, value := range o.labels() {
		all[name] = value
	}
	object.SetLabels(all)
}
