// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/agent"
	"github.com/draconform/draconform/e2e/nodeagent/api"
)

const (
	// secretName is the name of the Secret with the token.
	secretName = "node-agent"
	// tokenKey is the key of the token in the Secret. Pods mount it as a file of
	// that name.
	tokenKey = "token"
	tokenDir = "/etc/draconform/agent" //nolint:gosec // A folder, no credentials.
)

func (o Options) namespace() *corev1.Namespace {
	labels := o.labels()
	// The pods mount directories of the node.
	labels["pod-security.kubernetes.io/enforce"] = "privileged"
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace, Labels: labels}}
}

func (o Options) secret(token string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: secretName, Labels: o.labels()},
		Immutable:  ptr.To(true),
		Data:       map[string][]byte{tokenKey: []byte(token)},
	}
}

// pod returns the agent's pod for a node. It is assigned to the node without a
// scheduler, so that it also runs on cordoned and full nodes.
func (o Options) pod(node string) *corev1.Pod {
	volumes, mounts := o.volumes()
	args := []string{"--kubelet-dir=" + o.KubeletDir, "--token-file=" + path.Join(tokenDir, tokenKey)}
	for _, driver := range o.Drivers {
		args = append(args, "--driver="+driver)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: podName(node), Labels: o.labels()},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			OS:                            &corev1.PodOS{Name: corev1.Linux},
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			TerminationGracePeriodSeconds: ptr.To[int64](5),
			Volumes:                       volumes,
			Containers: []corev1.Container{{
				Name: "node-agent", Image: o.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: args,
				Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: api.Port}},
				VolumeMounts:    mounts,
				SecurityContext: securityContext(),
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi")},
					Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
				},
			}},
		},
	}
}

// securityContext allows what a connection to the sockets of drivers needs: root
// without regard to the owners of files, and on nodes with SELinux a type that
// may connect to them. A privileged container could do much more.
func securityContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsUser:                ptr.To[int64](0),
		AllowPrivilegeEscalation: ptr.To(false),
		ReadOnlyRootFilesystem:   ptr.To(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"DAC_OVERRIDE"}},
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		SELinuxOptions:           &corev1.SELinuxOptions{Type: "spc_t"},
	}
}

// volumes returns the directories of the node that the agent reads, at their
// paths on the node, and the token. Connecting to a socket does not write to its
// file system, so the mounts are read-only, except the directory where the agent
// can hide CDI files of claims.
func (o Options) volumes() ([]corev1.Volume, []corev1.VolumeMount) {
	host := func(name, dir string, kind corev1.HostPathType) (corev1.Volume, corev1.VolumeMount) {
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: dir, Type: &kind}}},
			corev1.VolumeMount{Name: name, MountPath: dir, ReadOnly: true, MountPropagation: ptr.To(corev1.MountPropagationHostToContainer)}
	}
	// The kubelet replaces its checkpoint, which therefore cannot be mounted
	// alone. Unmounts of volumes on the node reach the agent by propagation, so
	// that the agent does not keep volumes of other pods in use.
	kubelet, kubeletMount := host("kubelet", o.KubeletDir, corev1.HostPathDirectory)
	// A node need not have CDI directories. Empty ones have no effect.
	dynamic, dynamicMount := host("dynamic-cdi", agent.DynamicCDIDir, corev1.HostPathDirectoryOrCreate)
	dynamicMount.ReadOnly = false
	static, staticMount := host("static-cdi", agent.StaticCDIDir, corev1.HostPathDirectoryOrCreate)
	token := corev1.Volume{Name: "token", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secretName, DefaultMode: ptr.To[int32](0o400)}}}
	return []corev1.Volume{kubelet, dynamic, static, token},
		[]corev1.VolumeMount{kubeletMount, dynamicMount, staticMount, {Name: "token", MountPath: tokenDir, ReadOnly: true}}
}
