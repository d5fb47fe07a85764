package staticpod

// Folder is where the kubelet of a control plane node finds its static pods.
const Folder = "/etc/kubernetes/manifests/"

// Again is the argument that makes Swap start a component anew.
const Again = "again"

// Swap is a script that replaces the manifest of a component by $3, whether it runs or not, and prints the UIDs of the
// pods that it ended, or "none"; nothing if the manifest is the same, unless $4 is [Again]. On further lines are the UIDs
// of all pods of the component that have left logs, each with a number of those: a manifest that comes back has the UID
// that it had, and the kubelet goes on to count the containers of that pod.
//
// It first takes the old manifest away and waits until the kubelet has forgotten its pod. A kubelet that finds the new
// one while the old pod still ends looks again only after ten seconds or more, several times if need be. An API server
// that is told to end stops listening at once, and then waits for watches, which their clients only start again
// elsewhere, until the kubelet kills it after 30 seconds. Here it gets two, for the requests that it is at.
const Swap = Locked + files + numbered + `
rm -f etc/kubernetes/draconform-draft-$2-*
printf %s "$3" >"$draft"
if [ "$4" != again ] && [ -e "$path" ] && cmp -s "$draft" "$path"; then
  rm -f "$draft" "$parked" "$stopped"
  exit
fi
pods() {
  for dir in var/log/pods/kube-system_$1-*; do
    uid=${dir##*_}
    [ ! -e var/lib/kubelet/pods/$uid ] || echo $uid
  done
}
ended=$(pods $2)
[ ! -e "$path" ] || mv "$path" "$parked"
tries=0 deaf=0
while [ -n "$(pods $2)" ] && [ $tries -lt 450 ]; do
  tries=$((tries + 1))
  sleep 0.1
  [ "$2" = kube-apiserver ] || continue
  refused=0
  curl --silent --insecure --max-time 1 --output /dev/null https://127.0.0.1:6443/livez || refused=$?
  [ $refused = 7 ] || continue
  deaf=$((deaf + 1))
  if [ $deaf = 15 ]; then pkill --signal KILL --exact kube-apiserver || true; fi
done
echo ${ended:-none}
for log in var/log/pods/kube-system_$2-*/$2/*.log; do
  [ ! -e "$log" ] || numbered
done
mv "$draft" "$path"
rm -f "$parked" "$stopped"
`

// numbered is a function that prints the UID of the pod that $log is of, and its number.
const numbered = `
numbered() { uid=${log%/*/*}; echo "${uid##*_} $(basename "$log" .log)"; }
`

// NewestLog is the start of scripts that look at $log, the log that was written last by a container of the component, of
// another pod than those whose UIDs are $3. It ends the script if there is none.
const NewestLog = `
cd "$1"
log=
for log in $(ls -t var/log/pods/kube-system_$2-*/$2/*.log 2>/dev/null); do
  uid=${log%/*/*}; uid=${uid##*_}
  case " $3 " in *" $uid "*) log=;; *) break;; esac
done
[ -n "$log" ] || exit 0
`

// LastLines is the end of scripts that begin with [NewestLog]: it prints the end of the log, or of the one before if the
// container has said nothing yet.
const LastLines = `
for log in $(ls -t "${log%/*}"/*.log); do
  [ -s "$log" ] || continue
  tail -n 15 "$log"
  break
done
`

// LogNumber is the end of scripts that begin with [NewestLog]: it prints the UID of the pod that the log is of, and its
// number, from 0, which is how many containers of the pod have ended.
const LogNumber = numbered + "numbered"
