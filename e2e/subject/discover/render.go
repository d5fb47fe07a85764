// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

//go:embed file.yaml.tmpl
var fileTemplate string

var file = template.Must(template.New("file.yaml.tmpl").Funcs(template.FuncMap{"comment": comment, "fields": writeFields, "value": inline}).Parse(fileTemplate))

// width is the number of columns of comments.
const width = 100

// namedRole is a role with the name of its field.
type namedRole struct {
	Name, Why string
	Fields    []field
}

// render writes the driver file.
func (d *discovery) render() ([]byte, error) {
	set := d.findDaemonSet()
	var given, left []namedRole
	for _, r := range []struct {
		name string
		role role
	}{{"exclusive", d.exclusive()}, {"partitions", d.partitions()}, {"shared", d.shared()}, {"multiHost", d.multiHost()}} {
		if named := (namedRole{r.name, r.role.why, r.role.fields}); len(r.role.fields) > 0 {
			given = append(given, named)
		} else {
			left = append(left, named)
		}
	}
	var out bytes.Buffer
	err := file.Execute(&out, map[string]any{
		"Source": d.Source, "Name": d.driver.Name, "Published": d.published(), "Unusable": d.unusable(),
		"DaemonSet": set.DaemonSet, "DaemonSetWhy": set.why,
		"Roles": given, "Left": left,
		"Metadata": metadataClue(set.set), "MultiHost": slices.ContainsFunc(given, func(r namedRole) bool { return r.Name == "multiHost" }),
		"Attribute": d.example(), "Pods": d.findPods(set),
	})
	if err != nil {
		return nil, fmt.Errorf("write the driver file of %s: %w", d.driver.Name, err)
	}
	return out.Bytes(), nil
}

// published describes the devices of the driver.
func (d *discovery) published() string {
	return fmt.Sprintf("%s in %s on %s", plural(len(d.driver.Devices), "device"), plural(len(d.driver.Pools), "pool"), nodes(d.driver.Devices))
}

// unusable has sentences about pools and classes that are not used.
func (d *discovery) unusable() []string {
	var all []string
	for _, p := range d.driver.Pools {
		if p.Unusable != "" {
			all = append(all, fmt.Sprintf("Pool %s is left out, because schedulers do not use it: %s", p.Name, p.Unusable))
		}
	}
	return append(all, d.requests.unusable...)
}

// example returns the name of an attribute that is unique on each node, for
// examples.
func (d *discovery) example() string {
	for _, name := range d.driver.StringAttributes(d.driver.Devices) {
		if first, _ := published.Duplicate(d.driver.Devices, name); first == nil {
			return name
		}
	}
	return d.driver.Name + "/index"
}

// comment returns a text as lines of a comment with an indentation.
func comment(indent int, text string) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && indent+len("# ")+len(line)+len(" ")+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	lines = append(lines, line)
	prefix := strings.Repeat(" ", indent) + "# "
	return prefix + strings.Join(lines, "\n"+prefix)
}

// writeFields returns the lines of fields with their comments.
func writeFields(indent int, fields []field) string {
	var lines []string
	for _, f := range fields {
		if f.why != "" {
			lines = append(lines, comment(indent, f.why))
		}
		if f.value != nil {
			lines = append(lines, strings.Repeat(" ", indent)+f.name+":"+block(indent+2, f.value))
		}
	}
	return strings.Join(lines, "\n")
}

// block returns a value as it follows its key and a colon.
func block(indent int, value any) string {
	margin := "\n" + strings.Repeat(" ", indent)
	item := "\n" + strings.Repeat(" ", indent-2) + "- "
	text := ""
	switch v := value.(type) {
	case string:
		return " " + inline(v)
	case []string:
		for _, s := range v {
			text += item + inline(s)
		}
	case []features.Feature:
		return " " + inline(v)
	case []field:
		return "\n" + writeFields(indent, v)
	case driverfile.Device:
		text = margin + strings.Join(deviceLines(v), margin)
	case []driverfile.Device:
		for _, d := range v {
			text += item + strings.Join(deviceLines(d), margin)
		}
	}
	return text
}

// deviceLines returns the lines of a device without indentation.
func deviceLines(d driverfile.Device) []string {
	var lines []string
	if d.Class != "" {
		lines = append(lines, "class: "+inline(d.Class))
	}
	if d.InlineClass != nil {
		lines = append(lines, "inlineClass:", "  selectors:")
		for _, s := range d.InlineClass.Selectors {
			lines = append(lines, "  - "+inline(s))
		}
	}
	if len(d.Selectors) > 0 {
		lines = append(lines, "selectors:")
	}
	for _, s := range d.Selectors {
		lines = append(lines, "- "+inline(s))
	}
	if len(d.Capacity) > 0 {
		lines = append(lines, "capacity:")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Capacity)) {
		amount := d.Capacity[name]
		lines = append(lines, "  "+inline(name)+": "+inline(amount.String()))
	}
	return lines
}

// inline returns a value in one line of YAML. Texts are quoted if necessary, in
// single quotes, because expressions are full of double ones. Other values are
// JSON.
func inline(value any) string {
	text, isText := value.(string)
	var decoded map[string]any
	switch err := yaml.UnmarshalStrict([]byte("value: "+text), &decoded); {
	case isText && err == nil && decoded["value"] == text:
		return text
	case isText && !strings.ContainsFunc(text, unicode.IsControl):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode %v: %v", value, err)) // The types are fixed, and all of them can be encoded.
	}
	return string(encoded)
}

// plural returns a number with what is counted.
func plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
