// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// MetadataFile is a device metadata file in a container (KEP-5304).
type MetadataFile struct {
	// Versions are the API versions of the objects in the file.
	Versions []string
	Content  v1beta1.DeviceMetadata
}

// metadataGroup is the API group of device metadata, with a slash.
const metadataGroup = metadata.GroupName + "/"

// metadata returns the device metadata files that a container sees, by path.
func (c *Cluster) metadata(pod *corev1.Pod, container string) (map[string]string, error) {
	if c.WithoutMetadata {
		return nil, nil
	}
	files := map[string]*MetadataFile{}
	for _, seen := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if seen.Name != container && !c.Mistakes.MixesUpMetadata {
			continue
		}
		for _, use := range seen.Resources.Claims {
			if err := c.addMetadata(files, pod, use); err != nil {
				return nil, err
			}
		}
	}
	if change := c.Mistakes.Misdescribes; change != nil {
		change(files)
	}
	c.leaveMetadata(files)
	texts := map[string]string{}
	for path, file := range files {
		var text strings.Builder
		for _, version := range file.Versions {
			file.Content.TypeMeta = metav1.TypeMeta{APIVersion: version, Kind: "DeviceMetadata"}
			if err := json.NewEncoder(&text).Encode(file.Content); err != nil {
				return nil, err
			}
		}
		texts[path] = text.String()
	}
	return texts, nil
}

// leaveMetadata adds earlier files to those that a container sees, if drivers leave them.
func (c *Cluster) leaveMetadata(files map[string]*MetadataFile) {
	for path, file := range files {
		if earlier, ok := c.metadataLeft[path]; ok && c.Mistakes.KeepsMetadata {
			files[path] = earlier
			continue
		}
		c.metadataLeft[path] = file
	}
	if c.Mistakes.LeavesMetadata {
		maps.Copy(files, c.metadataLeft)
	}
}

// addMetadata adds the files for the use of a claim by a container.
func (c *Cluster) addMetadata(files map[string]*MetadataFile, pod *corev1.Pod, use corev1.ResourceClaim) error {
	i := slices.IndexFunc(pod.Spec.ResourceClaims, func(of corev1.PodResourceClaim) bool { return of.Name == use.Name })
	if i < 0 {
		return fmt.Errorf("pod %s has no claim %s", pod.Name, use.Name)
	}
	name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
	if err != nil || name == nil {
		return err
	}
	claim, err := c.claim(types.NamespacedName{Namespace: pod.Namespace, Name: *name})
	if err != nil || claim.Status.Allocation == nil {
		return err
	}
	published, err := c.publishedSlices()
	if err != nil {
		return err
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		request := resourceclaim.BaseRequestRef(result.Request)
		if use.Request != "" && use.Request != request {
			continue
		}
		path := metadata.ResourceClaimFilePath(result.Driver, claim.Name, request)
		if pod.Spec.ResourceClaims[i].ResourceClaimTemplateName != nil {
			path = metadata.ResourceClaimTemplateFilePath(result.Driver, use.Name, request)
		}
		attributes := attributesOf(published, result)
		if c.Mistakes.RestartForgetsAttributes && c.restarts[component{"driver", pod.Spec.NodeName}] > 0 {
			attributes = nil
		}
		addDevice(files, path, claim, result, c.measured(attributes))
	}
	return nil
}

// attributesOf returns the attributes of an allocated device in its slice.
func attributesOf(published []*resourceapi.ResourceSlice, result resourceapi.DeviceRequestAllocationResult) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	for _, slice := range published {
		if slice.Spec.Driver != result.Driver || slice.Spec.Pool.Name != result.Pool {
			continue
		}
		for _, device := range slice.Spec.Devices {
			if device.Name == result.Device {
				return device.Attributes
			}
		}
	}
	return nil
}

// addDevice adds an allocated device to the file of its request.
func addDevice(files map[string]*MetadataFile, path string, claim *resourceapi.ResourceClaim, result resourceapi.DeviceRequestAllocationResult, attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
	file := files[path]
	if file == nil {
		file = &MetadataFile{Versions: []string{metadataGroup + "v1beta1", metadataGroup + "v1alpha1"}}
		file.Content.ObjectMeta = metav1.ObjectMeta{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, Generation: 1}
		file.Content.Requests = []v1beta1.DeviceMetadataRequest{{Name: result.Request}}
		files[path] = file
	}
	devices := &file.Content.Requests[0].Devices
	device := v1beta1.Device{Driver: result.Driver, Pool: result.Pool, Name: result.Device, Attributes: attributes}
	if !slices.ContainsFunc(*devices, func(d v1beta1.Device) bool { return d.Pool == device.Pool && d.Name == device.Name }) {
		*devices = append(*devices, device)
	}
}
