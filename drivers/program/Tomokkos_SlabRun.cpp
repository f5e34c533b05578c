// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A volume of many slices: the operator is prepared once, and slabs of slices are read, solved and
// written one after the other. The next slab is read and the previous one is written meanwhile.
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <span>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace Tomokkos {

namespace Impl {

/// Lists slices for a message: `slice 3`, `slices 3, 4, 9`.
std::string list_of(const std::vector<std::size_t>& slices) {
  constexpr std::size_t most_listed = 10;
  std::string text = slices.size() > 1 ? "slices " : "slice ";
  for (std::size_t i = 0; i < std::min(slices.size(), most_listed); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(slices[i]);
  return text + (slices.size() > most_listed ? ", ..." : "");
}

/// Files of the volume. Partial until they are committed.
template <class Scalar>
class VolumeFiles {
 public:
  /// Creates the files, or continues those of an earlier run after \p done slices.
  void open(const OutputSection& output, const std::array<std::size_t, 3>& shape, int done) {
    for (const ImageFormat& format : image_formats())
      if (output.writes(format) && format.writer.slices != nullptr)
        files_.push_back(std::make_unique<SliceFile<Scalar>>(
            output.directory / ("reconstruction" + std::string(format.extension())),
            *format.writer.slices, shape, static_cast<std::size_t>(done)));
  }
  /// Checks that the files hold the slices that the earlier run has written. Cost: reads these
  /// slices, which is little beside the time that it took to solve them.
  void check(const VolumeProgress& volume) {
    for (const auto& file : files_) {
      const std::string extension = file->destination().extension();
      const auto written = volume.written.find(extension);
      if (written == volume.written.end())
        throw InputError(file->partial().string() +
                         ": the earlier run has not written this file; leave its format out of "
                         "output.image");
      const std::vector<double>& known = fingerprints_[extension] = written->second;
      std::vector<std::size_t> changed;
      for (std::size_t slice = 0; slice < known.size(); ++slice)
        if (file->fingerprint(slice) != known[slice]) changed.push_back(slice);
      if (!changed.empty())
        throw InputError(file->partial().string() + ": " + list_of(changed) +
                         (changed.size() > 1 ? " are" : " is") +
                         " not as the earlier run has written; restore the file, or run with "
                         "--overwrite to start again");
    }
  }
  void write(std::size_t first, std::span<const Scalar> images) {
    for (const auto& file : files_) {
      const std::vector<double> written = file->write(first, images);
      auto& all = fingerprints_[file->destination().extension()];
      all.insert(all.end(), written.begin(), written.end());
    }
  }
  /// Fingerprints of the slices in each file, by its extension.
  const std::map<std::string, std::vector<double>>& fingerprints() const { return fingerprints_; }
  /// Gives the files their names. Returns false if one could not be renamed.
  bool commit(RunOutput& output) const {
    bool are_complete = true;
    for (const auto& file : files_)
      are_complete &= output.write_by(file->destination(), [&] { file->commit(); });
    return are_complete;
  }
  /// Lists the incomplete files as files of the run.
  void list(RunOutput& output) const {
    for (const auto& file : files_) output.add_file(file->partial());
  }

 private:
  std::vector<std::unique_ptr<SliceFile<Scalar>>> files_;
  std::map<std::string, std::vector<double>> fingerprints_;
};

}  // namespace Impl

namespace {

/// Adds the cost of a slab.
void add(const RunSolution& slab, RunSolution& all) {
  all.results.insert(all.results.end(), slab.results.begin(), slab.results.end());
  all.solver_bytes = std::max(all.solver_bytes, slab.solver_bytes);
  all.traffic.forward = std::max(all.traffic.forward, slab.traffic.forward);
  all.traffic.transpose = std::max(all.traffic.transpose, slab.traffic.transpose);
  all.moved_bytes += slab.moved_bytes;
  all.iterations += slab.iterations;
  all.iteration_seconds += slab.iteration_seconds;
}

/// Fingerprints of the data of each slice. They do not depend on the size of a slab.
std::vector<double> fingerprints_of_slices(const RunInput& input) {
  const std::size_t rays = input.data.size() / static_cast<std::size_t>(input.slices);
  std::vector<double> result;
  for (std::size_t at = 0; at < input.data.size(); at += rays)
    result.push_back(fingerprint_number(input.data.data() + at, rays * sizeof(double)));
  return result;
}

/// Reads a slab, checks it, fills it up to the number of slices that are solved with copies of its
/// last one, and puts them side by side. Runs beside the kernels of another slab.
template <class Scalar>
Impl::ReadSlab<Scalar> read_slab(const RunConfig& config, const SlabPlan& slabs) {
  Impl::ReadSlab<Scalar> slab;
  slab.input = read_input(config);
  slab.fingerprints = fingerprints_of_slices(slab.input);
  std::vector<double>& data = slab.input.data;
  const bool clamps = config.problem.sinogram->negative == NegativeData::clamp;
  slab.smallest = std::numeric_limits<double>::infinity();
  slab.largest = -slab.smallest;
  for (double& value : data) {
    if (value < 0 && clamps) {
      ++slab.clamped_negative;
      value = 0;
    }
    if (value < slab.smallest) slab.smallest = value;
    if (value > slab.largest) slab.largest = value;
  }
  check_negative_data(config, slab.input);
  const Ordinal slices = slab.input.slices, solved = slabs.solved(slices);
  const std::size_t rays = data.size() / static_cast<std::size_t>(slices);
  const std::vector<double> last(data.end() - static_cast<std::ptrdiff_t>(rays), data.end());
  for (Ordinal copy = slices; copy < solved; ++copy)
    data.insert(data.end(), last.begin(), last.end());
  slab.counted_rays = counted_rays(data, solved, slab.input.masks.rows);
  slab.columns = side_by_side<Scalar>(data, solved);
  return slab;
}

/// Copies the images of a slab to the host, beside kernels of other instances than \p copies. On a
/// host they are already there.
template <class ExecutionSpace, class Scalar>
class ImagesOnHost {
 public:
  ImagesOnHost(const ExecutionSpace& copies,
               const VectorView<Scalar, typename ExecutionSpace::memory_space>& images)
      : images_(images.data(), images.extent(0)) {
    if constexpr (!Impl::is_host_space<ExecutionSpace>) {
      copied_.resize(images.extent(0));
      images_ = copied_;
      Kokkos::deep_copy(
          copies, VectorView<Scalar, Kokkos::HostSpace>(copied_.data(), copied_.size()), images);
      copies.fence();
    }
  }
  std::span<Scalar> images() const { return images_; }

 private:
  std::vector<Scalar> copied_;
  std::span<Scalar> images_;
};

/// Instance of a GPU for copies beside the kernels of \p exec. A host copies nothing.
template <class ExecutionSpace>
ExecutionSpace instance_for_copies(const ExecutionSpace& exec) {
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    return exec;
  else
    return Impl::partition_space(exec, 1).front();
}

/// Returns freed memory to the system, which `run.memory_limit` counts as used otherwise.
void release_host_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/// Says how to continue with slice \p next.
std::string how_to_continue(int next) {
  return can_write_npz() ? "--resume continues with slice " + std::to_string(next)
                         : "to continue them, build the program with libzip";
}

/// Adds a note to an error.
[[noreturn]] void rethrow_with(const std::string& note) {
  try {
    throw;
  } catch (const MemoryError& error) {
    throw MemoryError(error.what() + note);
  } catch (const OutputError& error) {
    throw OutputError(error.what() + note);
  } catch (const ConfigError& error) {
    throw InputError(error.what() + note);
  } catch (const InputError& error) {
    throw InputError(error.what() + note);
  } catch (const DimensionMismatch& error) {
    throw InputError(error.what() + note);
  } catch (const Error& error) {
    throw Error(error.what() + note);
  }
}

}  // namespace

/// Takes up the slices of the run that is resumed, and returns their results.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Reconstruction<ExecutionSpace, Scalar>::resume_volume() {
  auto& saved = checkpoints_.resumed();
  if (!saved) return {};
  const std::string file = checkpoints_.file().string();
  const std::optional<VolumeProgress> progress = volume_of(saved->progress);
  if (progress->slices != slabs_->count)
    throw InputError(file + ": is of a volume of " + std::to_string(progress->slices) +
                     " slices, this run has " + std::to_string(slabs_->count));
  if (saved->progress.iteration != config_.solver.iterations())
    throw InputError(file + ": its slices have " + std::to_string(saved->progress.iteration) +
                     " iterations, but solver.iterations is " +
                     std::to_string(config_.solver.iterations()));
  std::vector<SolveResult> results = std::move(saved->progress.results);
  const auto require_all = [&](const char* what, std::size_t count) {
    require_equal(what + (" in " + file), static_cast<long long>(count), "its slices",
                  progress->done);
  };
  require_all("results", results.size());
  require_all("fingerprints of data", progress->data.size());
  for (const auto& [extension, fingerprints] : progress->written)
    require_all("fingerprints of images", fingerprints.size());
  volume_ = *progress;
  saved.reset();
  progress_.message("resumed at slice " + std::to_string(volume_.done) + " of " +
                    std::to_string(slabs_->count));
  return results;
}

/// Checks that the data of the slices that are complete are those that were read for them. Cost:
/// reads these data, \p size slices at a time.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::check_data_of_volume(
    Ordinal size, std::optional<double> center) const {
  std::vector<std::size_t> changed;
  for (Ordinal begin = 0; begin < volume_.done; begin += size) {
    InterruptGuard::check();
    const Ordinal count = std::min(size, volume_.done - begin);
    const std::vector<double> found =
        fingerprints_of_slices(read_input(config_of_slab(config_, *slabs_, begin, count, center)));
    for (std::size_t j = 0; j < found.size(); ++j)
      if (const auto slice = static_cast<std::size_t>(begin) + j; found[j] != volume_.data[slice])
        changed.push_back(slice);
  }
  if (!changed.empty())
    throw InputError(checkpoints_.file().string() + ": the data of " + Impl::list_of(changed) +
                     " have changed since the earlier run has read them; restore them, or run "
                     "with --overwrite to start again");
}

/// Warns of suspicions of a kind that no slab before had.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::warn_of_new_suspicions(RunInput& slab) {
  std::erase_if(slab.suspicions, [&](const Suspicion& suspicion) {
    return std::any_of(input_.suspicions.begin(), input_.suspicions.end(),
                       [&](const Suspicion& known) { return known.kind == suspicion.kind; });
  });
  warn_of_suspicions(config_, slab);
  for (Suspicion& suspicion : slab.suspicions) input_.suspicions.push_back(std::move(suspicion));
}

/// Replaces the data by those of another slab. Returns its number of slices.
template <class ExecutionSpace, class Scalar>
Ordinal Reconstruction<ExecutionSpace, Scalar>::take_slab(Impl::ReadSlab<Scalar>&& slab) {
  RunInput& read = slab.input;
  input_.data = std::move(read.data);
  input_.slices = slabs_->solved(read.slices);
  input_.repeated_slices = input_.slices - read.slices;
  input_.slab_begin = read.slab_begin;
  input_.dead_elements = std::move(read.dead_elements);
  slab_columns_ = std::move(slab.columns);
  context_.data.counted_rays = std::move(slab.counted_rays);
  context_.data.slab_begin = input_.slab_begin;
  warn_of_new_suspicions(read);
  print_filled(read.filled);
  input_.clamped = read.clamped;
  input_.missing_values = read.missing_values;
  volume_.clamped += static_cast<double>(read.clamped);
  volume_.missing += static_cast<double>(read.missing_values);
  volume_.clamped_negative += slab.clamped_negative;
  volume_.smallest = std::min(volume_.smallest, slab.smallest);
  volume_.largest = std::max(volume_.largest, slab.largest);
  volume_.data.insert(volume_.data.end(), slab.fingerprints.begin(), slab.fingerprints.end());
  b_ = x_ = {};
  masked_start_.clear();
  rmse_.clear();
  release_host_memory();
  return read.slices;
}

template <class ExecutionSpace, class Scalar>
SolveProgress Reconstruction<ExecutionSpace, Scalar>::progress_of(const Results& results) const {
  SolveProgress progress;
  progress.iteration = config_.solver.iterations();
  progress.results = results;
  progress.active.assign(results.size(), false);
  return progress;
}

template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::solve_slabs(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared) {
  const AnyOperator<ExecutionSpace, Scalar>& A = prepared.A;
  const SliceShape natural{natural_size(order_.rows, A.num_rows()),
                           natural_size(order_.columns, A.num_cols())};
  // The middle slice, which has been read for the geometry, identifies the data.
  read_terms(config_, natural.rays, input_);
  const std::vector<Scalar> middle(input_.data.begin(), input_.data.end());
  checkpoints_.set_data(middle, input_.multiplicative, input_.background);
  volume_.slices = slabs_->count;
  volume_.smallest = std::numeric_limits<double>::infinity();
  volume_.largest = -volume_.smallest;
  RunSolution all;
  all.results = resume_volume();
  const Ordinal size = slab_size<ExecutionSpace, Scalar>(
      exec_, config_, *slabs_, {A.num_rows(), A.num_cols()}, natural, input_.missing_values > 0);
  A.reserve(exec_, static_cast<int>(slabs_->solved(size)));
  input_.notes.set("slab", size);
  progress_.message("slabs of " + std::to_string(size) + " of " + std::to_string(slabs_->count) +
                    " slices");
  if (const auto line = describe_truncation(input_)) progress_.message(*line);

  const std::optional<double> center =
      input_.found_center ? std::optional(input_.found_center->center) : std::nullopt;
  const auto read = [&](Ordinal begin) {
    const Ordinal count = std::min(size, slabs_->count - begin);
    return std::async(std::launch::async,
                      [config = config_of_slab(config_, *slabs_, begin, count, center),
                       slabs = *slabs_] { return read_slab<Scalar>(config, slabs); });
  };
  const std::array<std::size_t, 3> shape{static_cast<std::size_t>(slabs_->count),
                                         static_cast<std::size_t>(input_.volume.rows),
                                         static_cast<std::size_t>(input_.volume.columns)};
  const auto pixels = static_cast<std::size_t>(natural.pixels);
  Impl::VolumeFiles<Scalar> files;
  VectorType images;  // those that are being written
  const ExecutionSpace copies = instance_for_copies(exec_);
  // Joined by their destructors, before the files and the images.
  std::future<Impl::ReadSlab<Scalar>> next;
  std::future<void> writing;
  // Waits until the previous slab is on the disk.
  int on_disk = volume_.done;
  const auto finish_writing = [&] {
    if (!writing.valid()) return;
    writing.get();
    on_disk = volume_.done;
  };
  if (volume_.done > 0) {
    files.open(config_.output, shape, volume_.done);
    files.check(volume_);
    check_data_of_volume(size, center);
  }
  progress_.begin(run_.solver_name() + " slices", slabs_->count, volume_.done);
  const auto solve_all = [&] {
    if (volume_.done < slabs_->count) next = read(volume_.done);
    while (volume_.done < slabs_->count) {
      clock_.begin("input");
      const Ordinal count = take_slab(next.get());
      const Ordinal begin = volume_.done, end = begin + count;
      if (end < slabs_->count) next = read(end);
      prepare_data(prepared);
      prepare_start(A);
      solve(prepared);
      RunSolution slab = run_.solution();
      slab.results.resize(static_cast<std::size_t>(count));
      if (std::any_of(slab.results.begin(), slab.results.end(),
                      [](const auto& r) { return r.reason == StopReason::interrupted; }))
        return;
      find_unexplained(config_, input_, {}, slab.results, unexplained_);
      add(slab, all);
      clock_.begin("write");
      finish_writing();
      if (begin == 0) {
        prepare_folder();
        files.open(config_.output, shape, 0);
      }
      const std::size_t solved = pixels * static_cast<std::size_t>(input_.slices);
      if (images.extent(0) < solved)
        images = allocate<VectorType>(exec_, "Tomokkos::Reconstruction::images", solved);
      put_slices_in_turn<ExecutionSpace, Scalar>(exec_, x_, input_.slices, order_.columns,
                                                 {images.data(), solved});
      volume_.done = end;
      const VectorView<Scalar, memory_space> written(images.data(),
                                                     pixels * static_cast<std::size_t>(count));
      writing = std::async(std::launch::async, [this, &files, &shape, &copies, written, begin,
                                                start = std::move(masked_start_), volume = volume_,
                                                progress = progress_of(all.results)]() mutable {
        const ImagesOnHost<ExecutionSpace, Scalar> on_host(copies, written);
        keep_start_of_masked(start, on_host.images());
        const auto first = static_cast<std::size_t>(begin);
        output_.write_pictures_of_slab<Scalar>("reconstruction", on_host.images(), shape, first);
        files.write(first, on_host.images());
        if (!can_write_npz()) return;
        volume.written = files.fingerprints();
        set_volume(progress, volume);
        const std::vector<std::map<int, double>> rmse(progress.results.size());
        checkpoints_.write(std::move(progress), rmse, {Scalar(0)}, {1});
      });
    }
  };
  try {
    try {
      solve_all();
    } catch (const Interrupted&) {
      // Between two slabs; those before it are kept.
    }
    finish_writing();
  } catch (const Error&) {
    progress_.end();
    try {
      finish_writing();
    } catch (const Error&) {
      // The first error is reported; the slab that could not be written is not counted.
    }
    if (on_disk == 0) throw;
    rethrow_with("; slices 0 to " + std::to_string(on_disk - 1) + " of " +
                 std::to_string(slabs_->count) + " are complete in " +
                 config_.output.directory.string() + ": when this is repaired, " +
                 how_to_continue(on_disk));
  }
  progress_.end();
  if (volume_.done == 0) throw Interrupted{};
  run_.begin_write();
  if (volume_.done == slabs_->count) {
    std::error_code ignored;
    if (files.commit(output_)) std::filesystem::remove(checkpoints_.file(), ignored);
    report_volume(prepared, std::move(all));
    return exit_status_of(run_.solution().results, true);
  }
  files.list(output_);
  if (can_write_npz()) output_.add_file(checkpoints_.file());
  report_volume(prepared, std::move(all));
  progress_.message(std::to_string(volume_.done) + " of " + std::to_string(slabs_->count) +
                    " slices are complete; " + how_to_continue(volume_.done));
  return exit_interrupted;
}

/// Prepares the folder for new files.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::prepare_folder() const {
  output_.make_folder();
  // An older checkpoint must not count slices in the new files.
  require_replaceable(checkpoints_.file(), checkpoint_output);
  std::error_code error;
  std::filesystem::remove(checkpoints_.file(), error);
  if (error)
    throw OutputError("cannot remove '" + checkpoints_.file().string() +
                      "', the checkpoint of an earlier run: " + error.message());
}

/// Writes the report.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::report_volume(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, RunSolution&& all) {
  if (all.iterations > 0)
    all.traffic.iteration =
        static_cast<std::size_t>(all.moved_bytes / static_cast<double>(all.iterations));
  traffic_ = all.traffic;
  run_.set_solution(std::move(all));
  peaks_ = run_.peaks();
  Description values = Description::map(true);
  values.set("smallest", volume_.smallest);
  values.set("largest", volume_.largest);
  Description& notes = input_.notes;
  note_suspicions(input_);
  notes.set("values", std::move(values));
  notes.set("complete_slices", volume_.done);
  notes.set("clamped_values", static_cast<long long>(volume_.clamped));
  if (volume_.clamped_negative > 0)
    notes.set("clamped_negative_values", static_cast<long long>(volume_.clamped_negative));
  if (volume_.missing > 0) {
    Description missing = Description::map(true);
    missing.set("values_left_out", static_cast<long long>(volume_.missing));
    notes.set("missing", std::move(missing));
  }
  const Results& results = run_.solution().results;
  rmse_.assign(results.size(), {});
  run_.write_report(report(prepared, results, {}));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                \
  template int Reconstruction<ExecutionSpace, Scalar>::solve_slabs( \
      const PreparedOperator<ExecutionSpace, Scalar>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
