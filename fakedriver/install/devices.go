// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/topology"
)

// checkDevices validates the options for devices before the cluster is changed.
func (o Options) checkDevices() error {
	d, ways := o.Devices, 0
	for _, used := range []bool{d.Model != "" || d.Count != 0, d.Description != "", d.Topology != ""} {
		if used {
			ways++
		}
	}
	var err error
	switch {
	case o.Classic != "" && (ways > 0 || o.Older || o.Overlap > 0):
		return errors.New("the driver of classic DRA has no other devices than those of its inventory, and no other versions")
	case ways > 1:
		return errors.New("devices are either a number of devices of a model, a description or a topology")
	case d.AssignHostsByName && d.Topology == "":
		return errors.New("hosts are assigned by name without a topology that has hosts")
	case d.Count < 0:
		return fmt.Errorf("the number of devices must be positive, not %d", d.Count)
	case d.Model != "" && !slices.Contains(model.Names(), d.Model):
		return fmt.Errorf("unknown model %q, use one of %s", d.Model, strings.Join(model.Names(), ", "))
	case d.Description != "":
		_, err = describe.Compile([]byte(d.Description))
	case d.Topology != "":
		_, err = topology.Resolve(d.Topology)
	}
	return err
}

// pluginFlags returns the flags of the plugin's pods that override or extend
// those in the manifest.
func (o Options) pluginFlags() map[string]string {
	if o.Classic != "" {
		return nil // Only the controller knows the devices.
	}
	flags := o.controllerFlags()
	if o.Devices.Model != "" {
		flags["--model"] = o.Devices.Model
	}
	if o.Devices.Count != 0 {
		flags["--count"] = strconv.Itoa(o.Devices.Count)
	}
	if o.Older {
		flags["--checkpoint-version"] = "1"
	}
	if o.Overlap > 0 {
		flags["--pod-uid"] = "$(POD_UID)"
	}
	if o.Devices.Description != "" {
		flags["--file"] = path.Join(descriptionDir, devicesFile)
	}
	return flags
}

// controllerFlags returns the flags of the controller. The plugin's pods have
// them, too, except for those of classic DRA.
func (o Options) controllerFlags() map[string]string {
	flags := map[string]string{}
	if o.Classic != "" {
		flags["--inventory"] = o.Classic
	}
	switch file, _ := o.described(); {
	case file == topologyFile:
		flags["--topology"] = path.Join(descriptionDir, file)
	case o.Devices.Topology != "":
		flags["--topology"] = o.Devices.Topology
	}
	if o.Devices.AssignHostsByName {
		flags["--assign-hosts-by-name"] = "true"
	}
	return flags
}

const (
	// descriptionDir is the directory in pods with the description of devices,
	// in one of these files.
	descriptionDir = "/etc/draconform/description"
	devicesFile    = "devices.yaml"
	topologyFile   = "topology.yaml"
	// descriptionHash is an annotation of the pods with the hash of the
	// description. A changed description causes a rollout, because pods only
	// read it when they start.
	descriptionHash = "draconform.dev/description-sha256"
)

// described returns the description of the devices and its file name. Both are
// empty for devices that the driver knows by name.
func (o Options) described() (file, text string) {
	switch d := o.Devices; {
	case d.Description != "":
		return devicesFile, d.Description
	case d.Topology != "" && len(validation.IsDNS1123Label(d.Topology)) > 0:
		return topologyFile, d.Topology
	default:
		return "", ""
	}
}

// description returns the ConfigMap with the description of devices.
func (o Options) description() *corev1.ConfigMap {
	file, text := o.described()
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.DriverName, Labels: o.labels()},
		Data:       map[string]string{file: text},
	}
}

// mountDescription mounts the description into pods, if there is one.
func (o Options) mountDescription(pod *corev1.PodTemplateSpec) {
	const volume = "description"
	file, text := o.described()
	if file == "" {
		return
	}
	hash := sha256.Sum256([]byte(text))
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, descriptionHash, hex.EncodeToString(hash[:]))
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
		Name: volume,
		VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: o.DriverName},
		}},
	})
	container := &pod.Spec.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: descriptionDir, ReadOnly: true})
}
