// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"maps"
	"path"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/e2e/internal/access"
)

// Names in the manifests.
const (
	manifestFile = "job.yaml"
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
	var out []runtime.Object
	for _, object := range all {
		if err := o.adapt(object); err != nil {
			return nil, err
		}
		switch object.(type) {
		case *corev1.Namespace:
			if o.Namespace == "" {
				out = append(out, object)
			}
		case *corev1.ServiceAccount:
			roles, err := o.roles()
			if err != nil {
				return nil, err
			}
			out = append(append(out, object), roles...)
		default:
			out = append(out, object)
		}
	}
	return out, nil
}

// roles returns the roles with the rights of the run, and their bindings to the
// ServiceAccount.
func (o Options) roles() ([]runtime.Object, error) {
	roles := o.Rights.Roles(o.Name, &access.Account{Namespace: o.namespace(), Name: o.Name})
	for _, role := range roles {
		accessor, err := meta.Accessor(role)
		if err != nil {
			return nil, err
		}
		o.label(accessor)
	}
	return roles, nil
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
	// The run finds its own pods by its label and deletes them, in a namespace that
	// may be the Job's. The pod that it runs in ends with the Job.
	job.Spec.Template.Labels = map[string]string{nameLabel: nameValue}
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
	maps.Copy(all, o.labels())
	object.SetLabels(all)
}
